import { reachOf } from '../../kube/reach.ts'
import { type AgentContext, stamp } from '../context.ts'
import type { Outcome } from '../state/state.ts'
import { foundAgain, tryingAgain } from './went-bad.ts'

export interface LostContactActions {
  readonly show: (outcome: Outcome) => Promise<void>
  /** The API server, which was lost with a change, answers: reports that it missed are sent now. */
  readonly onFound: () => void
  /** Something is to be applied again. */
  readonly onWork: () => void
}

/** The host went back for want of the API server: what becomes of the assignment shows when that is found again. */
export class LostContact {
  readonly #context: AgentContext
  readonly #actions: LostContactActions
  /** Monotonic milliseconds: since when each question has been answered. */
  #answersSince: number | undefined

  constructor(context: AgentContext, actions: LostContactActions) {
    this.#context = context
    this.#actions = actions
  }

  /** @returns whether the API server is still to be asked */
  async look(outcome: Outcome | undefined): Promise<boolean> {
    const before = this.#answersSince
    this.#answersSince = outcome?.lost && (await this.#isAnswered()) ? (before ?? this.#now) : undefined
    if (!outcome?.lost) return false
    if (this.#answersSince === undefined) return true
    if (before === undefined) return this.#found(outcome)
    // An outage that comes and goes would take the next attempt, too.
    if (this.#now - before < this.#context.options.timing.lost) return true
    return this.#become(tryingAgain({ last: outcome, now: stamp(this.#context.ports) }))
  }

  get #now(): number {
    return this.#context.ports.clock.elapsed()
  }

  #isAnswered(): Promise<boolean> {
    const { node } = this.#context.ports
    return node.get().then(
      () => true,
      (error: unknown) => reachOf(error) === 'server',
    )
  }

  async #found(last: Outcome): Promise<boolean> {
    const { ports } = this.#context
    const now = foundAgain({ last, now: stamp(ports) })
    ports.log.warn('the API server is found again', { phase: now.phase })
    const isOpen = now === last || (await this.#become(now))
    this.#actions.onFound()
    return isOpen
  }

  async #become(outcome: Outcome): Promise<false> {
    this.#answersSince = undefined
    await this.#context.state.setOutcome(outcome)
    await this.#actions.show(outcome)
    this.#actions.onWork()
    return false
  }
}
