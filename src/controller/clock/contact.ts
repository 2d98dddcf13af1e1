import type { Instant } from '../../rollout/model/instant.ts'
import type { Clock } from './clock.ts'

/** Milliseconds. A shorter interruption is a hiccup: a watch that is opened again, a server that restarts. */
const HICCUP = 5_000
/** Milliseconds. By less a clock is corrected, and two of them differ. */
const STEP = 20_000

type Clocks = Pick<Clock, 'now' | 'elapsed'>

/**
 * Since when the API server has been in contact, by channel: the watch of nodes, and requests. While a channel is interrupted, what is
 * known of nodes is old, and their agents cannot report either: time that passes then speaks against nobody.
 */
export class Contact {
  readonly #lostSince = new Map<string, Instant>()
  #restoredAt: Instant | undefined
  #madeAt: Instant | undefined
  #listed: { readonly at: Instant; readonly elapsed: number } | undefined

  lost(channel: string, now: Instant): void {
    if (!this.#lostSince.has(channel)) this.#lostSince.set(channel, now)
  }

  restored(channel: string, now: Instant): void {
    this.#madeAt ??= now
    const since = this.#lostSince.get(channel)
    this.#lostSince.delete(channel)
    if (since !== undefined && (now < since || now - since > HICCUP)) this.#restoredAt = now
  }

  /**
   * However short the interruption was: the server shows an older state than before, or somebody led until now whose clock differs from ours. When
   * what stands there was so, nobody can tell.
   */
  distrust(now: Instant): void {
    this.#restoredAt = now
  }

  /** What began before then did not count for whoever led until now; nor does it for this process. */
  countFrom(since: Instant, now: Instant): void {
    this.#restoredAt = Math.max(this.#restoredAt ?? Number.NEGATIVE_INFINITY, Math.min(since, now))
  }

  /** All nodes were listed: what became of them before, and whether what they show was written before a restore of etcd, nobody saw. */
  listed(clock: Clocks): void {
    this.#listed = { at: clock.now(), elapsed: clock.elapsed() }
  }

  /** When this process first heard of the cluster: what became of nodes before, it knows only as far as somebody could write that down. */
  watchedSince(now: Instant): Instant | undefined {
    this.#forgetFuture(now)
    return this.#madeAt
  }

  /**
   * When all nodes were last listed; each change since was seen. Absent: they were not yet. By the present clock: one that was put forward since
   * gave no kubelet more time to report.
   */
  listedAt(clock: Clocks): Instant | undefined {
    if (!this.#listed) return undefined
    const [now, { at, elapsed }] = [clock.now(), this.#listed]
    const since = now - (clock.elapsed() - elapsed)
    if (Math.abs(since - at) > STEP) this.#listed = { at: since, elapsed }
    return Math.min(this.#listed.at, now)
  }

  /** The end of the last interruption. */
  get restoredAt(): Instant | undefined {
    return this.#restoredAt
  }

  isLost(channel: string): boolean {
    return this.#lostSince.has(channel)
  }

  /** What began before is counted from then on; now, while there is no contact. Absent: there always was. */
  unbrokenSince(now: Instant): Instant | undefined {
    this.#forgetFuture(now)
    for (const since of this.#lostSince.values()) if (now - since > HICCUP) return now
    return this.#restoredAt
  }

  /** What a clock that was ahead has stamped, and was put back since, would keep time from counting until then. */
  #forgetFuture(now: Instant): void {
    for (const [channel, since] of this.#lostSince) this.#lostSince.set(channel, Math.min(since, now))
    if (this.#restoredAt !== undefined) this.#restoredAt = Math.min(this.#restoredAt, now)
    if (this.#madeAt !== undefined) this.#madeAt = Math.min(this.#madeAt, now)
  }
}
