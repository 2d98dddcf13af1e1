import type { NodePoolStatus } from '../../../../src/protocol/node-pool.ts'
import type { PoolInvariant } from '../invariants.ts'

export const notReadyWasDown: PoolInvariant = {
  claim: 'no node fails as not Ready whose kubelet always was, whatever a backup says of its Node',
  holds({ status }, { machines }) {
    const { failed = [] } = (status ?? {}) as Partial<NodePoolStatus>
    return failed.every(({ node, reason }) => reason !== 'NotReady' || (machines.get(node)?.wasDown ?? true))
  },
}
