import type { Failure } from './journal.ts'

export const INTERRUPTED: Failure = {
  reason: 'Interrupted',
  message: 'internal failure: the agent was interrupted while it applied',
}
