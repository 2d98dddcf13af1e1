import { createHash } from 'node:crypto'

/** Requests that may come at once, and how many a second after that. */
const BURST = 30
const PER_SECOND = 2
/** Digests of 32 bytes. */
const REMEMBERED = 1000

/** How often deliveries are taken, whoever sends them, and which were taken before. */
export class DeliveryLimits {
  #tokens = BURST
  #at: number | undefined
  readonly #taken = new Set<string>()

  /** @returns seconds after which to come again; undefined: now is fine. */
  admit(now: number): number | undefined {
    const passed = Math.max(0, now - (this.#at ?? now))
    this.#at = now
    this.#tokens = Math.min(BURST, this.#tokens + (passed / 1000) * PER_SECOND)
    if (this.#tokens < 1) return Math.ceil((1 - this.#tokens) / PER_SECOND)
    this.#tokens -= 1
    return undefined
  }

  /** @returns whether a push with this body was taken before: a forge that delivers it again, or somebody who recorded it. */
  isReplay(body: Uint8Array): boolean {
    const digest = createHash('sha256').update(body).digest('base64')
    if (this.#taken.has(digest)) return true
    this.#taken.add(digest)
    const [oldest] = this.#taken
    if (this.#taken.size > REMEMBERED && oldest !== undefined) this.#taken.delete(oldest)
    return false
  }
}
