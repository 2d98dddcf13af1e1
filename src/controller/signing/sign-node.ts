import type { Action } from '../../rollout/model/decision.ts'

export type Assign = Extract<Action, { kind: 'assign' }>

/** The same assignment once more, signed by the key that the controller has now. */
export interface SignNode extends Omit<Assign, 'kind'> {
  readonly kind: 'sign'
  readonly pool: string
}
