import type { NodePoolStatus } from '../../../../src/protocol/node-pool.ts'
import type { Invariant } from '../invariants.ts'

export const stoppedPools: Invariant = {
  claim: 'a pool that is on record as halted touches no node',
  holds({ desired: { POOL = '' } }, world) {
    const { conditions = [] } = (world.pool(POOL)?.status ?? {}) as Partial<NodePoolStatus>
    return !conditions.some(({ type, status, reason }) => type === 'Stalled' && status === 'True' && reason === 'Halted')
  },
}
