import { fingerprintOf } from '../content.ts'
import type { Invariant } from '../invariants.ts'
import type { Take, World } from '../world.ts'

export const nothingRejected: Invariant = {
  claim: 'content that is on record as failed, in the status or beside it, is given to nobody before a person asks for a retry',
  ofWorld: (world) => world.takes.every((take) => !isRecorded(take, world)),
}

function isRecorded({ digest, memory, observed, node }: Take, { notes, truth }: World): boolean {
  const content = fingerprintOf(digest)
  if (memory.rejected.some(({ fingerprint }) => fingerprint === content)) return true
  const pool = observed.fleet.pools.find(({ nodes }) => nodes.some(({ name }) => name === node.name))?.name
  // A note counts where the status does not tell that the content completed: docs/protocol.md, under "ConfigMaps".
  if (memory.history.some(({ fingerprint, result }) => fingerprint === content && result === 'Completed')) return false
  return pool !== undefined && notes?.has(pool, content) === true && truth?.of(pool).failed.has(content) === true
}
