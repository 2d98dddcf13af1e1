import { parseJournal } from '../../../src/agent/transaction/journal.ts'
import { parseAgentStatus } from '../../../src/protocol/agent-status.ts'
import { parseNodeHistory } from '../../../src/protocol/node-history.ts'
import { refuses } from './expected.ts'

/** What an agent left behind. */
export function journals(input: Buffer): void {
  const text = input.toString()
  refuses(['AgentError'], () => parseJournal(text))
  parseAgentStatus(text)
  parseNodeHistory(text)
}
