import type { NodePoolStatus } from '../../../../src/protocol/node-pool.ts'
import type { PoolInvariant } from '../invariants.ts'

export const refusedAsOlder: PoolInvariant = {
  claim: 'no commit fails because an agent had accepted a greater counter before',
  holds({ status }) {
    const { history = [] } = (status ?? {}) as Partial<NodePoolStatus>
    return history.every(({ message = '' }) => !message.includes('was accepted before'))
  },
}
