import type { RebootNeed } from '../../protocol/agent-status.ts'
import { AgentError } from '../agent-error.ts'
import { type AgentContext, stamp } from '../context.ts'
import type { GoneBad, Trial } from '../health/trial.ts'
import { looksHealthy, observeHealth } from '../health/verify.ts'
import type { Outcome } from '../state/state.ts'
import type { Failure } from '../transaction/journal.ts'
import { MachineGoesDown } from '../transaction/machine-state.ts'
import { failureOf } from '../transaction/undo.ts'
import type { Drift } from './drift.ts'
import { DriftWatch } from './drift-watch.ts'
import { isSettled } from './final.ts'
import { Superseded } from './host-turns.ts'
import { withKubeletStart } from './kubelet-start.ts'
import { LostContact, type LostContactActions } from './lost-contact.ts'
import { noteOutcome } from './note-outcome.ts'
import { hostRebootNeed, isSameNeed, packagesAwaitingReboot } from './reboot-need.ts'
import { LONGEST_PAUSE } from './repairs.ts'
import { couldNotGoBack, isForContact, leaving, recovered, stuck } from './went-bad.ts'
import { requireBad } from './work.ts'

/** Milliseconds. What is put back may cut the node off, and a report that the change is applied would stand on the Node until it is found again. */
const LONGEST_DELIVERY = 2_000

export interface GuardActions extends LostContactActions {
  /**
   * Takes the host back to what last worked. @throws when it did not come to doing anything.
   * @throws {Superseded} when that is needless by now, or `signal` aborted before anything was done.
   */
  readonly fallBack: (goingBack: GoneBad, signal: AbortSignal) => Promise<unknown>
  /** Resolves when the Node shows the last report, or after so many milliseconds. */
  readonly delivered: (within: number) => Promise<void>
  readonly callForHelp: (error: AgentError) => Promise<void>
  /** A look begins. */
  readonly onLook: () => void
}

/**
 * Watches what runs: health, trial and drift, whatever else the agent is busy with. A ConfigMap that is missing, or a download that takes
 * hours, must not keep a node from going back to what worked. Each look is a turn of its own.
 */
export class Guard {
  readonly #context: AgentContext
  readonly #actions: GuardActions
  readonly #trial: Trial
  readonly #driftWatch: DriftWatch
  readonly #lostContact: LostContact
  #rebootNeed: RebootNeed | undefined
  /** Packages. */
  #awaitingReboot: readonly string[] = []
  /** Monotonic milliseconds: when they are asked for next. */
  #nextPackages = 0
  /** Monotonic milliseconds: a fallback that failed is not tried again before. */
  #nextFallBack = 0
  /** What the host could not be taken back from, and how often that was tried. */
  #stuck: { readonly digest: string | undefined; readonly times: number } = { digest: undefined, times: 0 }
  /** The way back that is under way: what it needs may have to be downloaded, and whoever brings a fix does not wait for that. */
  #goingBack:
    | { readonly from: string; readonly because: Failure; readonly stop: AbortController; readonly ended: Promise<void> }
    | undefined
  #wake = new AbortController()
  /** Ends a pause, which then goes on if it is not over. */
  #stir = new AbortController()

  constructor(context: AgentContext, { trial, ...actions }: GuardActions & { readonly trial: Trial }) {
    this.#context = context
    this.#actions = actions
    this.#trial = trial
    this.#lostContact = new LostContact(context, actions)
    this.#driftWatch = new DriftWatch(context, { ...actions, onStir: () => this.#stir.abort() })
  }

  /** Paths and units that are not as they were applied, as far as is known. */
  get drift(): Drift {
    return this.#driftWatch.drift
  }

  /** Why the host wants a reboot, as far as is known. */
  get rebootNeed(): RebootNeed | undefined {
    return this.#rebootNeed
  }

  /** Looks until `signal` aborts; a fallback that has begun to change the host is finished first. */
  async run(signal: AbortSignal): Promise<void> {
    const { turns, options } = this.#context
    signal.addEventListener('abort', () => this.#wake.abort())
    while (!signal.aborted) {
      this.#actions.onLook()
      const pause = await turns.exclusively(() => this.#look(signal)).catch((error: unknown) => this.#trouble(error))
      this.#wake = new AbortController()
      if (!signal.aborted) await this.#rest(Math.min(pause, options.timing.drift))
    }
    this.#driftWatch.close()
    this.#goingBack?.stop.abort()
    await this.#goingBack?.ended
  }

  /** Until the time is over, the guard is woken, or a file that somebody has changed is to be compared. */
  async #rest(pause: number): Promise<void> {
    const { clock } = this.#context.ports
    const { signal } = this.#wake
    const end = clock.elapsed() + pause
    const left = (): number => Math.min(end, this.#driftWatch.nextLook) - clock.elapsed()
    while (!signal.aborted && left() > 0) {
      this.#stir = new AbortController()
      await clock.sleep(left(), AbortSignal.any([signal, this.#stir.signal]))
    }
  }

  /** The host was configured again: it has not drifted, and its trial begins. */
  changed(): void {
    this.#driftWatch.changed()
    this.#nextFallBack = 0
    this.#wake.abort()
  }

  /** What going back waited for was granted. */
  granted(): void {
    this.#nextFallBack = 0
    this.#wake.abort()
  }

  /** The API server answers after all: the host does not go back for want of it. */
  heard(): void {
    if (isForContact(this.#goingBack?.because)) this.#goingBack?.stop.abort()
  }

  /** @returns milliseconds until the next look. */
  async #look(signal: AbortSignal): Promise<number> {
    const { state, journal, options } = this.#context
    const { timing } = options
    this.#driftWatch.note()
    // What a transaction left behind is taken up first; after a failed undo a person is asked for.
    if (signal.aborted || (await journal.open()) !== undefined) return timing.watch
    if (await state.isUnclean()) return timing.drift
    await this.#stopNeedless()
    await this.#lookForRebootNeed(await this.#followClock(await state.outcome()))
    const trial = await this.#trial.look()
    const outcome = await state.outcome()
    if (typeof trial === 'object') return this.#fallBack(trial.because, trial.from)
    if (trial === 'passed' && outcome !== undefined) await this.#passed(outcome)
    if (outcome?.unproved !== undefined) return this.#reconsider(outcome)
    const isLost = await this.#lostContact.look(outcome)
    const left = await this.#driftWatch.look(outcome)
    return trial === 'holding' || isLost ? timing.watch : left
  }

  async #lookForRebootNeed(outcome: Outcome | undefined): Promise<void> {
    const before = this.#rebootNeed
    const { ports, options } = this.#context
    // While a package manager works, each look would find another database.
    if (ports.clock.elapsed() >= this.#nextPackages) {
      this.#awaitingReboot = await packagesAwaitingReboot(this.#awaitingReboot, ports)
      this.#nextPackages = ports.clock.elapsed() + options.timing.drift
    }
    this.#rebootNeed = await hostRebootNeed(this.#awaitingReboot, ports)
    if (outcome !== undefined && !isSameNeed(before, this.#rebootNeed)) await this.#actions.show(outcome)
  }

  async #followClock(outcome: Outcome | undefined): Promise<Outcome | undefined> {
    const { state, ports } = this.#context
    const corrected = outcome && (await withKubeletStart(outcome, ports))
    if (corrected === undefined || corrected === outcome) return outcome
    await state.setOutcome(corrected)
    await this.#actions.show(corrected)
    return corrected
  }

  async #passed(outcome: Outcome): Promise<void> {
    const { state, ports } = this.#context
    // A fallback that could not be done became needless: the host got well by itself.
    const now = recovered({ last: outcome, now: stamp(ports) }, await state.digest('active'))
    if (now !== outcome) await state.setOutcome(now)
    await this.#actions.show(now)
  }

  /** Everything was put back, and the kubelet only took longer than it was given. */
  async #reconsider(outcome: Outcome): Promise<number> {
    const { state, ports, options } = this.#context
    const look = await observeHealth(outcome.unproved ?? {}, ports)
    const isWell = looksHealthy(look) && look.service.runningFor >= options.timing.stable
    if (!isWell) return options.timing.watch
    const { unproved: _unproved, ...rest } = outcome
    const healed: Outcome = { ...rest, phase: 'RolledBack', since: stamp(ports) }
    await state.setOutcome(healed)
    await this.#actions.show(healed)
    return options.timing.watch
  }

  async #stopNeedless(): Promise<void> {
    if (this.#goingBack && (await this.#context.state.digest('active')) !== this.#goingBack.from) this.#goingBack.stop.abort()
  }

  /** Not waited for: it takes turns of its own. */
  async #fallBack(because: Failure, from: string): Promise<number> {
    const { clock, log } = this.#context.ports
    if (this.#goingBack === undefined && clock.elapsed() >= this.#nextFallBack) {
      log.warn('going back to what last worked', { ...because })
      await this.#leave(because)
      const stop = new AbortController()
      const ended = this.#goBack({ because, from }, stop.signal)
        .catch((error: unknown) => this.#trouble(error))
        .then(() => {
          this.#goingBack = undefined
        })
      this.#goingBack = { from, because, stop, ended }
    }
    return this.#context.options.timing.watch
  }

  /** Before anything is put back: a report that still waits for the API server would be found true of a host that is well again. */
  async #leave(because: Failure): Promise<void> {
    const { state, ports } = this.#context
    const last = await state.outcome()
    const outcome = last && leaving({ last, now: stamp(ports) }, because)
    if (outcome === undefined || outcome === last) return
    await noteOutcome(outcome, this.#context)
    await this.#actions.show(outcome)
    await this.#actions.delivered(LONGEST_DELIVERY)
  }

  async #goBack(goingBack: GoneBad, signal: AbortSignal): Promise<void> {
    const { ports, options } = this.#context
    const { timing } = options
    await this.#actions.fallBack(goingBack, signal).catch((error: unknown) => this.#fallBackFailed(goingBack, error))
    if (signal.aborted) return
    this.#stuck = { digest: goingBack.from, times: goingBack.from === this.#stuck.digest ? this.#stuck.times + 1 : 1 }
    // Each try restarts the kubelet, and what keeps both configurations from running may stay for days.
    const pause = Math.min(timing.drift * 2 ** (this.#stuck.times - 1), Math.max(timing.drift, LONGEST_PAUSE))
    this.#nextFallBack = ports.clock.elapsed() + pause
  }

  /** Reported, so that the last report does not stay as if it were true; and tried again later. */
  async #fallBackFailed(goingBack: GoneBad, error: unknown): Promise<void> {
    if (error instanceof Superseded) return
    if (error instanceof MachineGoesDown) throw error
    const { state, ports, turns } = this.#context
    const failure = failureOf(error)
    ports.log.warn('could not go back', { ...failure })
    await turns.exclusively(async () => {
      await requireBad(goingBack, this.#context)
      const last = await state.outcome()
      if (last === undefined) return
      const outcome = stuck({ last, now: stamp(ports) }, couldNotGoBack(goingBack.because, failure))
      if (isSettled(last)) await noteOutcome(outcome, this.#context)
      await this.#actions.show(outcome)
    })
  }

  async #trouble(error: unknown): Promise<number> {
    const { ports, options } = this.#context
    ports.log.warn('look at the host failed', { error: String(error) })
    if (error instanceof AgentError && error.kind === 'internal') await this.#actions.callForHelp(error)
    return options.timing.watch
  }
}
