import { fingerprintOf } from '../content.ts'
import type { Invariant } from '../invariants.ts'

export const nothingRejected: Invariant = {
  claim: 'content that is on record as failed is given to nobody',
  ofWorld: ({ takes }) =>
    takes.every(({ digest, memory }) => !memory.rejected.some(({ fingerprint }) => fingerprint === fingerprintOf(digest))),
}
