import { isDeepStrictEqual } from 'node:util'
import type { AgentContext } from '../context.ts'
import type { Outcome } from '../state/state.ts'
import { DirectoryWatches } from './directory-watches.ts'
import { type Drift, joinDrift, NO_DRIFT, repairDrift } from './drift.ts'
import { Fights } from './fights.ts'
import { pathsToWatch } from './paths-to-watch.ts'
import { Repairs } from './repairs.ts'
import { Stirred } from './stirred.ts'

interface DriftActions {
  readonly show: (outcome: Outcome) => Promise<void>
  /** Something is to be applied again. */
  readonly onWork: () => void
  /** `nextLook` is earlier now. */
  readonly onStir: () => void
}

/** When to look for drift: at all of it regularly, and at files as soon as somebody has changed them. */
export class DriftWatch {
  readonly #context: AgentContext
  readonly #actions: DriftActions
  readonly #watches: DirectoryWatches
  readonly #stirred: Stirred
  readonly #fights = new Fights()
  #repairs: Repairs
  #drift: Drift = NO_DRIFT
  /** Monotonic milliseconds. */
  #checkedAt: number
  /** Digest of the configuration whose files are watched. */
  #followed: string | undefined
  #due: ReadonlySet<string> = new Set()

  constructor(context: AgentContext, actions: DriftActions) {
    const { ports, options } = context
    const { clock } = ports
    this.#context = context
    this.#actions = actions
    this.#stirred = new Stirred(options.timing.drift)
    this.#watches = new DirectoryWatches(ports, (paths) => {
      if (this.#stirred.changed(paths, clock.elapsed())) actions.onStir()
    })
    this.#repairs = new Repairs(options.timing.drift)
    this.#checkedAt = clock.elapsed()
  }

  /** Paths and units that are not as they were applied, as far as is known. */
  get drift(): Drift {
    return this.#drift
  }

  /** Monotonic milliseconds: no file is to be compared before. */
  get nextLook(): number {
    return this.#stirred.next
  }

  /** The host was configured again: it has not drifted. */
  changed(): void {
    this.#drift = NO_DRIFT
    this.#repairs = new Repairs(this.#context.options.timing.drift)
    this.#checkedAt = this.#context.ports.clock.elapsed()
  }

  /** Notes which files the next look compares; a look that does not come about leaves them to the regular one. */
  note(): void {
    this.#due = new Set(this.#stirred.take(this.#context.ports.clock.elapsed()))
  }

  /** @returns milliseconds until the next regular look. */
  async look(outcome: Outcome | undefined): Promise<number> {
    const { clock } = this.#context.ports
    const { drift: interval } = this.#context.options.timing
    const left = this.#checkedAt + interval - clock.elapsed()
    const isRegular = left <= 0
    if (isRegular) this.#checkedAt = clock.elapsed()
    // Before anything is compared: what changes after that is seen.
    await this.#follow(isRegular)
    if (!isRegular && this.#due.size === 0) return left
    await this.#watches.renew()
    if (outcome !== undefined && outcome.phase !== 'Failed') await this.#compare(outcome, isRegular ? undefined : this.#due)
    return isRegular ? interval : left
  }

  close(): void {
    this.#watches.close()
  }

  /** @param paths of all others it is known how they are; undefined: of none */
  async #compare(outcome: Outcome, paths: ReadonlySet<string> | undefined): Promise<void> {
    const among = paths && ((subject: string): boolean => paths.has(subject))
    const found = await repairDrift({ repairs: this.#repairs, fights: this.#fights, among }, this.#context)
    const drift = among === undefined ? found : joinDrift(this.#drift, found, among)
    const isNews = !isDeepStrictEqual(drift, this.#drift)
    this.#drift = drift
    if (isNews) await this.#actions.show(outcome)
    if ((await this.#context.state.outcome())?.phase !== outcome.phase) this.#actions.onWork()
  }

  async #follow(isRegular: boolean): Promise<void> {
    const digest = await this.#context.state.digest('active')
    if (digest === this.#followed && !isRegular) return
    this.#followed = digest
    await this.#watches.follow(await pathsToWatch(this.#context))
  }
}
