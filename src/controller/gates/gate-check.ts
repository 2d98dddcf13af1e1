import type { AskGate } from '../../rollout/model/decision.ts'
import type { GateCheck } from '../../rollout/model/policy.ts'
import type { GateAnswer } from '../../rollout/model/snapshot.ts'

/** What was found out about a gate. */
export type GateFinding = Pick<GateAnswer, 'verdict' | 'value' | 'message' | 'unavailable'>

export interface Asked extends AskGate {
  readonly pool: string
}

/** How one kind of gate is asked. @throws {Error} when it cannot be; then it has not held. */
export type GateInquiry<Check> = (check: Check, asked: Asked, signal: AbortSignal) => Promise<GateFinding>

/** How each kind of gate is asked. */
export type Inquiries = { readonly [Kind in GateCheck['kind']]: GateInquiry<Extract<GateCheck, { kind: Kind }>> }
