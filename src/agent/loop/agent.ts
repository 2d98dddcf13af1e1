import { REBOOTING } from '../../protocol/agent-status.ts'
import { namesFor } from '../../protocol/names.ts'
import { AgentError, asAgentError } from '../agent-error.ts'
import { type AgentContext, createContext, stamp } from '../context.ts'
import { type GoneBad, Trial } from '../health/trial.ts'
import type { AgentOptions } from '../options.ts'
import type { AgentPorts } from '../ports.ts'
import type { Kinds } from '../resources/kinds.ts'
import type { Outcome } from '../state/state.ts'
import { MachineGoesDown } from '../transaction/machine-state.ts'
import { converge } from './converge.ts'
import type { Assignment } from './fetch.ts'
import { nextGoal } from './goal.ts'
import { Guard } from './guard.ts'
import { Superseded } from './host-turns.ts'
import { lastKnownGood, withoutWayBack } from './last-known-good.ts'
import { NodeWatch, type Wanted } from './node-watch.ts'
import { Pulse } from './pulse.ts'
import { clearRemains, recoverReadable } from './recover.ts'
import { refusal } from './refusal.ts'
import { Reporter } from './report.ts'
import { Retry } from './retry.ts'
import { isSuspended } from './settle.ts'
import { describeStatus } from './status.ts'
import { allowsWayBack } from './way-back-disruption.ts'
import { requireBad } from './work.ts'

/**
 * The agent of one node. Each pass reads what is on disk and what was assigned last, and does one thing; between passes it waits for
 * the Node to change or for time to pass. Beside it the guard watches what runs. It may die at any instruction.
 */
export class Agent {
  readonly #context: AgentContext
  readonly #watch: NodeWatch
  readonly #reporter: Reporter
  readonly #trial: Trial
  readonly #pulse: Pulse
  #cleared = false
  #inContact = false
  /** The Node is known, and there is nothing to do. */
  #isIdle = false
  #shown: Outcome | undefined
  /** The assignment under way. */
  #taken: Outcome | undefined
  readonly #guard: Guard
  readonly #retry: Retry

  constructor(ports: AgentPorts, options: AgentOptions, kinds?: Kinds) {
    const names = namesFor(options.prefix)
    this.#context = createContext(ports, options, kinds)
    const { retry } = options.timing
    this.#reporter = new Reporter(names, { ...ports, retry, onDelivered: () => void this.#showContact() })
    this.#watch = new NodeWatch(ports, {
      names,
      retry,
      onNode: (node) => this.#reporter.seen(node),
      onOpen: () => this.#reporter.retryNow(),
    })
    this.#trial = new Trial(this.#context, () => this.#showHeard())
    this.#pulse = new Pulse(ports)
    this.#guard = new Guard(this.#context, {
      trial: this.#trial,
      fallBack: (goingBack, signal) => this.#fallBack(goingBack, signal),
      show: (outcome) => this.#showUnlessTaken(outcome),
      delivered: (within) => this.#reporter.delivered(within),
      callForHelp: (error) => this.#callForHelp(error),
      onFound: () => this.#reporter.retryNow(),
      onWork: () => this.#watch.wake(),
      onLook: () => this.#pulse.beat(),
    })
    this.#retry = new Retry(retry, ports.random)
  }

  /** Works until `signal` aborts; a step that disturbs the host is finished first. */
  async run(signal: AbortSignal): Promise<void> {
    const following = this.#watch.run(signal)
    const pulsing = this.#pulse.run(signal)
    let guarding: Promise<void> | undefined
    while (!signal.aborted) {
      const pause = await this.#pass(() => {
        // Not before what a dead agent left behind was taken up.
        guarding ??= this.#guard.run(signal)
      }).catch((error: unknown) => this.#trouble(error))
      if (!signal.aborted) await this.#watch.sleep(pause, this.#context.ports.clock)
    }
    await guarding
    this.#reporter.stop()
    await following
    await pulsing
  }

  /** Resolves when no change is under way, and none begins after that: this process is to end. */
  leave(): Promise<void> {
    return new Promise((resolve) => {
      void this.#context.turns.exclusively(() => {
        resolve()
        return new Promise<never>(() => {})
      })
    })
  }

  /** Once is enough: who asks wants to know whether this process ever worked. Delivered counts when it is known what there is to say. */
  async #showContact(): Promise<void> {
    if (this.#inContact || !(this.#isIdle || this.#shown !== undefined)) return
    this.#inContact = true
    const { contact, log } = this.#context.ports
    log.info('in contact with the Node', { idle: this.#isIdle })
    await contact?.made().catch((error: unknown) => log.warn('contact with the Node not shown', { error: String(error) }))
  }

  /** @returns milliseconds until the next pass, unless the Node changes before. */
  async #pass(onRecovered: () => void): Promise<number> {
    const superseded = this.#watch.untilSuperseded()
    const { wanted } = this.#watch
    this.#reporter.check()
    const left = await this.#context.turns.exclusively(() => this.#repairLeftovers())
    onRecovered()
    if (left !== undefined) return left
    if (await allowsWayBack(wanted, this.#context)) this.#guard.granted()
    const next = await this.#attempt({ wanted, superseded })
    if (next !== 'settled') return next
    this.#retry.succeeded()
    const outcome = await this.#context.state.outcome()
    // What was taken up and dropped again, for what is done already, is not what the Node should go on to show.
    if (outcome !== undefined && JSON.stringify(outcome) !== JSON.stringify(this.#shown)) await this.#show(outcome)
    if (!this.#isIdle && wanted !== undefined) {
      this.#isIdle = true
      this.#reporter.check()
    }
    return this.#context.options.timing.drift
  }

  /** @returns milliseconds until the next pass after something was done, or came to nothing; `settled` when there was nothing to do. */
  async #attempt({ wanted, superseded }: { wanted: Wanted | undefined; superseded: AbortSignal }): Promise<number | 'settled'> {
    try {
      const next = await nextGoal(wanted, this.#context)
      if (next === undefined) return 'settled'
      await this.#work(next.goal, { signal: superseded })
      return 0
    } catch (error) {
      if (error instanceof MachineGoesDown) throw error
      if (error instanceof Superseded || superseded.aborted) return 0
      // Without the API server nothing can be reported, and nothing may be concluded about what is wanted.
      return wanted === undefined ? this.#trouble(error) : this.#refuse(wanted, error)
    }
  }

  /** @returns milliseconds until the next look at a transaction that is suspended. */
  async #repairLeftovers(): Promise<number | undefined> {
    const outcome = await recoverReadable(this.#context, this.#watch)
    const waits = outcome !== undefined && isSuspended(outcome)
    if (outcome !== undefined && (waits || outcome.phase !== 'Applying')) await this.#show(outcome)
    const { timing } = this.#context.options
    if (waits) return outcome.error?.reason === REBOOTING ? timing.watch : timing.drift
    this.#cleared ||= await clearRemains(this.#context)
    return undefined
  }

  async #work(
    goal: Assignment | undefined,
    options: { readonly signal: AbortSignal; readonly goingBack?: GoneBad },
  ): Promise<Outcome> {
    const isOwn = options.goingBack !== undefined
    const onTaken = async (taken: Outcome): Promise<void> => {
      if (!isOwn) this.#taken = taken
      await this.#showUnlessTaken(taken)
      // What follows reads files without giving way: until it has, the report would not leave this process.
      await this.#context.ports.clock.sleep(0)
    }
    const outcome = await converge({ goal, node: this.#watch.node, onTaken, ...options }, this.#context).finally(() => {
      if (!isOwn) this.#taken = undefined
    })
    this.#context.ports.log.info(outcome.phase, { digest: outcome.digest, error: outcome.error?.message })
    // A trial of no length is over before it is reported.
    if (outcome.phase === 'Applied') await this.#context.turns.exclusively(() => this.#trial.look())
    this.#guard.changed()
    await this.#showUnlessTaken(outcome)
    return outcome
  }

  /** What the API server was not heard of after counts now that it is. */
  async #showHeard(): Promise<void> {
    this.#guard.heard()
    const outcome = await this.#context.state.outcome()
    if (outcome !== undefined) await this.#showUnlessTaken(outcome)
  }

  /** While an assignment is under way, that is what the Node goes on to show, whatever the guard does. */
  #showUnlessTaken(outcome: Outcome): Promise<void> {
    return this.#show(this.#taken ?? outcome)
  }

  /** Needs nothing but the host: what last worked is on its disk. */
  async #fallBack(goingBack: GoneBad, signal: AbortSignal): Promise<void> {
    const { state, turns } = this.#context
    const goal = await lastKnownGood(state)
    if (goal !== 'damaged') {
      await this.#work(goal, { signal, goingBack })
      return
    }
    const outcome = await turns.exclusively(async () => {
      await requireBad(goingBack, this.#context)
      const stays = await withoutWayBack(goingBack.because, this.#context)
      await state.setOutcome(stays)
      return stays
    }, signal)
    await this.#showUnlessTaken(outcome)
  }

  async #refuse(wanted: Wanted, thrown: unknown): Promise<number> {
    const error = asAgentError(thrown, { kind: 'sync', reason: 'Internal' })
    this.#context.ports.log.warn(error.message, { reason: error.reason })
    // In a turn: the guard may be going back, and writes down how that ended.
    const outcome = await this.#context.turns.exclusively(() => refusal(error, { wanted, context: this.#context }))
    // The same trouble again is no news.
    if (this.#shown?.error?.message !== error.message || this.#shown.assignment !== wanted.text) await this.#show(outcome)
    return this.#retry.failed()
  }

  async #trouble(error: unknown): Promise<number> {
    this.#context.ports.log.warn('pass failed', { error: String(error) })
    if (error instanceof AgentError && error.kind === 'internal') await this.#callForHelp(error)
    else if (!(error instanceof MachineGoesDown)) await this.#tell(error)
    return this.#retry.failed()
  }

  /** What was under way does not come on, as on a disk that takes no writes: it stands as it did, and is tried again. */
  async #tell(thrown: unknown): Promise<void> {
    const { reason, message } = asAgentError(thrown, { kind: 'sync', reason: 'Internal' })
    const last = await this.#context.state.outcome()
    if (last !== undefined) await this.#show({ ...last, error: { reason, message } })
  }

  /** What the agent remembers cannot be read: nothing is done until a person has looked. */
  async #callForHelp({ reason, message }: AgentError): Promise<void> {
    if (this.#shown?.error?.message === message) return
    const { state, ports } = this.#context
    const base = (await state.outcome()) ?? { assignment: this.#watch.wanted?.text ?? null, attempts: 1 }
    await this.#show({ ...base, phase: 'Failed', since: stamp(ports), error: { reason, message } })
  }

  async #show(outcome: Outcome): Promise<void> {
    this.#shown = outcome
    const { node } = this.#watch
    const report = await describeStatus(outcome, {
      context: this.#context,
      node,
      drift: this.#guard.drift,
      rebootNeed: this.#guard.rebootNeed,
    })
    this.#reporter.report(report)
    this.#context.ports.metrics?.show(report.status)
  }
}
