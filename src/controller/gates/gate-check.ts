import type { AskGate } from '../../rollout/model/decision.ts'
import type { GateCheck } from '../../rollout/model/policy.ts'
import type { GateAnswer } from '../../rollout/model/snapshot.ts'

/** What was found out about a gate. */
export type GateResult = Pick<GateAnswer, 'verdict' | 'value' | 'message' | 'unavailable'>

export interface Asked extends AskGate {
  readonly pool: string
}

/** How one kind of gate is asked. @throws {Error} when it cannot be; then it has not held. */
export type RunGateCheck<Check> = (check: Check, asked: Asked, signal: AbortSignal) => Promise<GateResult>

/** How each kind of gate is asked. */
export type GateChecks = { readonly [Kind in GateCheck['kind']]: RunGateCheck<Extract<GateCheck, { kind: Kind }>> }
