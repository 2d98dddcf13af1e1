import type { RevertRequests } from '../../forge/revert/revert-requests.ts'

/** Where reverts are proposed. */
export interface RevertPlace {
  readonly requests: RevertRequests
  /** The branch that is followed. */
  readonly base: string
  /** Of the fleet, in the repository. */
  readonly folder: string
  /** What the names of statuses begin with. */
  readonly context: string
}
