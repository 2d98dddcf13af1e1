import type { Instant } from '../../rollout/model/instant.ts'
import type { WriteFailures, WrittenObject } from './write-failures.ts'

export interface BackgroundWritesOptions {
  readonly failures: WriteFailures
  readonly now: () => Instant
  /** Called when a write failed. */
  readonly failed: (object: WrittenObject, error: unknown) => void
  /** Called when there is more to do. */
  readonly changed: () => void
}

/** What no pass waits for: one write at a time of each object, and none of what has failed a moment ago. */
export class BackgroundWrites {
  readonly #options: BackgroundWritesOptions
  readonly #underWay = new Map<WrittenObject, Promise<void>>()

  constructor(options: BackgroundWritesOptions) {
    this.#options = options
  }

  begin(object: WrittenObject, work: () => Promise<{ readonly isDone: boolean }>): void {
    const { failures, now } = this.#options
    if (this.#underWay.has(object) || !failures.mayTry(object, now())) return
    this.#underWay.set(object, this.#run(object, work))
  }

  /** Resolves when everything that was begun has ended. */
  async end(): Promise<void> {
    await Promise.all(this.#underWay.values())
  }

  async #run(object: WrittenObject, work: () => Promise<{ readonly isDone: boolean }>): Promise<void> {
    const { failures, failed, changed } = this.#options
    let isDone = true
    try {
      ;({ isDone } = await work())
      failures.ended(object)
    } catch (error) {
      failed(object, error)
    } finally {
      this.#underWay.delete(object)
    }
    if (!isDone) changed()
  }
}
