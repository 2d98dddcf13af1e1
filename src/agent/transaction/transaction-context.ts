import type { Timing } from '../options.ts'
import type { StatePaths } from '../paths.ts'
import type { AgentPorts } from '../ports.ts'
import type { Kinds } from '../resources/kinds.ts'
import type { Journal } from './journal.ts'

export interface TransactionContext {
  readonly ports: AgentPorts
  readonly journal: Journal
  readonly kinds: Kinds
  readonly paths: StatePaths
  readonly timing: Timing
  /** Version of the agent itself. */
  readonly agent: string
  /** Aborts when something newer was assigned, or the agent is to stop. */
  readonly signal?: AbortSignal
}
