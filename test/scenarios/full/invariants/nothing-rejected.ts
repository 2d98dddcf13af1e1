import type { NodePoolStatus } from '../../../../src/protocol/node-pool.ts'
import type { Invariant } from '../invariants.ts'

export const nothingRejected: Invariant = {
  claim: 'content that is on record as failed is given to nobody',
  holds({ desired: { POOL = '', REVISION = '' } }, world) {
    const contentAt = (revision: string): string | undefined => world.contentOf(POOL, revision)?.name
    const { rejected = [] } = (world.pool(POOL)?.status ?? {}) as Partial<NodePoolStatus>
    return !rejected.some(({ revision }) => contentAt(revision) === contentAt(REVISION))
  },
}
