import { type KubeApi, KubeError, type KubeObject, unlessMissing } from '../../kube/kube-api.ts'
import { CONTROLLER_LEASE } from '../../protocol/names.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { Clock } from '../clock/clock.ts'
import { isOutage } from '../clock/outage-log.ts'
import { WakeSignal } from '../clock/wake-signal.ts'
import type { Log } from '../log/log.ts'
import {
  aCandidate,
  afterClaim,
  afterEvent,
  afterFailure,
  afterRead,
  claimOf,
  type LeaseCandidate,
  type LeaseTimings,
  leads,
  type Move,
  nextMove,
  releaseOf,
  resigned,
} from './election.ts'
import { countsSinceOf, leaseObject, leasePath, leasesPath, observationOf } from './lease.ts'
import { clockDifference } from './other-clock.ts'

/** A stretch of time in which this process leads. */
export interface Term {
  /** Aborts when the work is to end: with the lead, or with the process. */
  readonly signal: AbortSignal
  /** Aborts when the lead is lost; then nothing that is under way is waited for. */
  readonly lost: AbortSignal
  /** Asked right before each write: a process that was stopped for a while may go on before it learns that its time is over. */
  holds(): boolean
}

export interface LeaderElectorOptions {
  readonly kube: KubeApi
  readonly clock: Clock
  readonly log: Log
  /** Of the Lease. */
  readonly namespace: string
  readonly identity: string
  readonly timings: LeaseTimings
  readonly signal: AbortSignal
  /** Leads. What it rejects with ends the leadership. */
  readonly lead: (term: Term) => Promise<void>
  /** Somebody else leads, until the signal. */
  readonly standBy: (signal: AbortSignal) => void
  /** Whoever else led until now has a clock that differs from ours. */
  readonly foundOtherClock: () => void
  /** Since when time counts for this process; undefined: all of it does. */
  readonly countsSince: () => Instant | undefined
  /** Time counted since then for whoever else led until now. */
  readonly countedSince: (since: Instant) => void
}

/**
 * Stands for election until `signal`: leads whenever the Lease is this process's, stands by again when it is lost, and hands it
 * over at the end.
 * @throws {KubeError} at the start, when the Lease may not be read or written
 */
export async function electLeader(options: LeaderElectorOptions): Promise<void> {
  const elector = new LeaderElector(options)
  const watching = new AbortController()
  const watched = elector.watch(AbortSignal.any([options.signal, watching.signal]))
  try {
    while (await elector.won()) await elector.serve()
  } finally {
    watching.abort()
    await elector.release()
    await watched
  }
}

class LeaderElector {
  readonly #options: LeaderElectorOptions
  readonly #news = new WakeSignal()
  #candidate: LeaseCandidate
  #found: KubeObject | undefined
  /** Once it was granted, a refusal is taken for a passing one. */
  #granted = false
  #standby = new AbortController()
  #holder: string | undefined
  /** Whose clock differs, as was said. */
  #otherClock: string | undefined
  /** How often there was news. */
  #heard = 0

  constructor(options: LeaderElectorOptions) {
    this.#options = options
    this.#candidate = aCandidate(options.identity, options.timings)
  }

  /** News of the Lease spare a candidate the rest of its wait; what they say is read by a look, which is never late. */
  async watch(signal: AbortSignal): Promise<void> {
    const { kube, namespace, log } = this.#options
    const fieldSelector = `metadata.name=${CONTROLLER_LEASE}`
    try {
      for await (const _ of kube.follow(leasesPath(namespace), {
        fieldSelector,
        signal,
        project: ({ metadata }) => metadata.name,
      })) {
        if (this.#leads()) continue
        this.#heard += 1
        this.#candidate = afterEvent(this.#candidate)
        this.#news.fire()
      }
    } catch (error) {
      if (!signal.aborted) log('warn', `watch the lease: ${String(error)}; a release of it is noticed late`)
    }
  }

  /** @returns false when the signal came first */
  async won(): Promise<boolean> {
    const { signal } = this.#options
    while (!signal.aborted && !this.#leads()) {
      await this.#step(signal)
      this.#tellHolder()
    }
    this.#standby.abort()
    this.#holder = undefined
    return this.#leads()
  }

  /** Leads until the lead is lost, or what is led ends. */
  async serve(): Promise<void> {
    const { signal, lead, log, identity } = this.#options
    const [done, lost] = [new AbortController(), new AbortController()]
    const upkeep = Promise.all([this.#renew(done.signal), this.#guard(lost, done.signal)])
    log('info', `leading as "${identity}"`)
    try {
      await lead({ signal: AbortSignal.any([signal, lost.signal]), lost: lost.signal, holds: () => this.#leads() })
    } finally {
      done.abort()
      await upkeep
      this.#candidate = resigned(this.#candidate)
    }
  }

  /** So that the next one need not wait for the lease to expire. One that cannot be reached will wait. */
  async release(): Promise<void> {
    try {
      if (this.#candidate.mustLook && this.#granted) await this.#look()
      if (this.#candidate.observation?.record?.holder !== this.#options.identity) return
      await this.#write(releaseOf(this.#candidate, this.#options.clock.now()))
    } catch (error) {
      this.#options.log('warn', `release the lease: ${String(error)}`)
    }
  }

  #leads(): boolean {
    return leads(this.#candidate, this.#options.clock.elapsed())
  }

  async #renew(done: AbortSignal): Promise<void> {
    while (!done.aborted && this.#leads()) await this.#step(done)
  }

  /** Requests may hang, the deadline does not. */
  async #guard(lost: AbortController, done: AbortSignal): Promise<void> {
    const { clock, log } = this.#options
    while (!done.aborted && this.#leads())
      await clock.sleepUntil(clock.now() + this.#candidate.leadsUntil - clock.elapsed(), done)
    if (done.aborted) return
    log('warn', 'lost the lead: the lease was not renewed in time')
    lost.abort()
  }

  async #step(stop: AbortSignal): Promise<void> {
    const { clock } = this.#options
    const move = nextMove(this.#candidate, clock.elapsed())
    if (move.kind === 'wait') return this.#news.wait(clock, { until: clock.now() + move.until - clock.elapsed(), signal: stop })
    try {
      await this.#ask(move)
    } catch (error) {
      this.#failed(error)
    }
  }

  async #ask(move: Exclude<Move, { kind: 'wait' }>): Promise<void> {
    if (move.kind === 'look') return this.#look()
    const { clock } = this.#options
    const claim = claimOf(this.#candidate, clock.now())
    const sentAt = clock.elapsed()
    const written = await this.#write(claim)
    this.#granted = true
    this.#candidate = afterClaim(this.#candidate, observationOf(written), { sentAt, now: clock.elapsed() })
  }

  async #look(): Promise<void> {
    const { kube, namespace, clock } = this.#options
    const heard = this.#heard
    const before = this.#candidate.observation
    this.#found = await kube.get<KubeObject>(leasePath(namespace), this.#patience()).catch(unlessMissing)
    this.#candidate = afterRead(this.#candidate, this.#found ? observationOf(this.#found) : {}, clock.elapsed())
    this.#compareClocks(before)
    this.#tellCounted()
    // What was heard meanwhile may be newer than what was read.
    if (this.#heard !== heard) this.#candidate = afterEvent(this.#candidate)
  }

  /** It would be forgotten with the process that knew why it did not count what was before. */
  #tellCounted(): void {
    const { identity, countedSince } = this.#options
    const since = this.#found && countsSinceOf(this.#found)
    if (since !== undefined && this.#candidate.observation?.record?.holder !== identity) countedSince(since)
  }

  #compareClocks(before: LeaseCandidate['observation']): void {
    const { identity, clock, log, foundOtherClock } = this.#options
    const { observation = { since: 0 } } = this.#candidate
    const { holder } = observation.record ?? {}
    const ahead = holder === identity ? undefined : clockDifference(observation, { wall: clock.now(), before })
    if (ahead === undefined) return
    foundOtherClock()
    if (!holder || holder === this.#otherClock) return
    this.#otherClock = holder
    log('warn', `the clock of "${holder}" is ${Math.round(Math.abs(ahead) / 1000)} s ${ahead > 0 ? 'ahead of' : 'behind'} ours`)
  }

  /** PUT makes a Lease that is not there, and is the one way to make it that a rule for this name alone can allow. */
  async #write(record: Parameters<typeof leaseObject>[0]): Promise<KubeObject> {
    const { kube, namespace, countsSince } = this.#options
    const body = leaseObject(record, { found: this.#found, namespace, countsSince: countsSince() })
    this.#found = await kube.replace<KubeObject>(leasePath(namespace), body, this.#patience())
    return this.#found
  }

  /** Two attempts fit before the deadline. */
  #patience(): { readonly timeout: number } {
    return { timeout: this.#options.timings.renewDeadline / 2 }
  }

  #failed(error: unknown): void {
    if (!(error instanceof KubeError)) throw error
    if (!this.#granted && (error.code === 401 || error.code === 403)) throw error
    if (error.reaction === 'conflict') this.#candidate = afterEvent(this.#candidate)
    else {
      if (!isOutage(error)) this.#options.log('warn', `lease: ${error.message}`)
      this.#candidate = afterFailure(this.#candidate, this.#options.clock.elapsed())
    }
  }

  #tellHolder(): void {
    const { identity, log, standBy } = this.#options
    const holder = this.#candidate.observation?.record?.holder
    if (!holder || holder === identity || holder === this.#holder) return
    log('info', `standing by: "${holder}" leads`)
    if (this.#holder === undefined) {
      this.#standby = new AbortController()
      standBy(AbortSignal.any([this.#options.signal, this.#standby.signal]))
    }
    this.#holder = holder
  }
}
