import type { NodePhase } from '../../protocol/node-pool.ts'
import type { Instant } from './instant.ts'

/** Where a node stands on its way to what it is to become; concluded each time, never stored. */
export interface NodeProgress {
  readonly phase: NodePhase
  /** Its wave waits for it. */
  readonly pending: boolean
  readonly failure?: Failure
  /** False: the node was not sound when it was assigned, or an earlier rollout assigned it, so its failure says nothing about the content. */
  readonly isEvidence?: false
  /** When time alone changes this. */
  readonly until?: Instant
}

export interface Failure {
  /** CamelCase, stable. */
  readonly reason: string
  readonly message: string
}

export const RENDER_FAILED = 'RenderFailed'

/** Nothing was assigned: what is to blame stands in the commit, or in what the Node shows. */
export function isRenderFailure({ reason }: Pick<Failure, 'reason'>): boolean {
  return reason === RENDER_FAILED
}

export function failed({ reason, message }: Failure): NodeProgress {
  return { phase: 'Failed', pending: false, failure: { reason, message } }
}
