import type { HistoryEntry, NodePoolStatus } from '../../../../src/protocol/node-pool.ts'
import type { PoolInvariant } from '../invariants.ts'

/** One node alone takes too long for it, whatever controllers hear of the others. */
export const failuresAreReal: PoolInvariant = {
  claim: 'no node counts as failed that ended its work in time',
  holds({ metadata: { name }, status }, world) {
    const { history = [] } = (status ?? {}) as Partial<NodePoolStatus>
    const isSlow = ({ revision }: HistoryEntry): boolean => world.contentOf(name, revision)?.outcome === 'slow'
    return history.every((run) => !isSlow(run) || (run.failures ?? 0) <= 1)
  },
}
