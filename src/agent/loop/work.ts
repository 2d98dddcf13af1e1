import type { AgentContext } from '../context.ts'
import type { GoneBad } from '../health/trial.ts'
import type { OwnNode } from '../ports.ts'
import type { Outcome } from '../state/state.ts'
import type { Assignment } from './fetch.ts'
import { Superseded } from './host-turns.ts'

export interface Work {
  /** What the host is to become; undefined: what it was before nodewave. */
  readonly goal: Assignment | undefined
  /** The Node as it was seen last, if it was. */
  readonly node: OwnNode | undefined
  /** Ends the work as long as nothing was disturbed. */
  readonly signal: AbortSignal
  /** Called once there is something to do, and awaited before it is done. */
  readonly onTaken: (outcome: Outcome) => Promise<void>
  /** Set when the host goes back by itself to what last worked; such work asks for a grant only for more than restarts. */
  readonly goingBack?: GoneBad | undefined
}

/** @throws {Superseded} when the host is not made by what went bad any more, or that has held its trial after all. */
export async function requireBad(goingBack: GoneBad | undefined, { state }: AgentContext): Promise<void> {
  if (goingBack === undefined) return
  const isActive = (await state.digest('active')) === goingBack.from
  if (isActive && (await state.digest('lastKnownGood')) !== goingBack.from) return
  throw new Superseded('there is nothing to go back from any more')
}
