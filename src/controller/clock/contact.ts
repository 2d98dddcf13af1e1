import type { Instant } from '../../rollout/model/instant.ts'

/** Milliseconds. A shorter interruption is a hiccup: a watch that is opened again, a server that restarts. */
const HICCUP = 5_000

/**
 * Since when the API server has been in contact, by channel: the watch of nodes, and requests. While a channel is interrupted, what is
 * known of nodes is old, and their agents cannot report either: time that passes then speaks against nobody.
 */
export class Contact {
  readonly #lostSince = new Map<string, Instant>()
  #restoredAt: Instant | undefined
  #madeAt: Instant | undefined
  #listedAt: Instant | undefined

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
  listed(now: Instant): void {
    this.#listedAt = now
  }

  /** When this process first heard of the cluster: what became of nodes before, it knows only as far as somebody could write that down. */
  watchedSince(now: Instant): Instant | undefined {
    this.#forgetFuture(now)
    return this.#madeAt
  }

  /** When all nodes were last listed; each change since was seen. Absent: they were not yet. */
  listedAt(now: Instant): Instant | undefined {
    this.#forgetFuture(now)
    return this.#listedAt
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
    if (this.#listedAt !== undefined) this.#listedAt = Math.min(this.#listedAt, now)
  }
}
