import { parseAgentStatus } from '../../../../src/protocol/agent-status.ts'
import type { NodeInvariant } from '../invariants.ts'

export const nothingGivenBack: NodeInvariant = {
  claim: 'no agent gives its host back, since nobody takes an assignment away',
  holds: ({ metadata: { annotations = {} } }) => parseAgentStatus(annotations['nodewave.io/status'])?.phase !== 'Reverted',
}
