import type { Among } from '../transaction/prospect.ts'

/** Milliseconds: what never stays repaired is tried at least this often, since what kept it from that may be gone. */
export const LONGEST_PAUSE = 3_600_000

interface Try {
  readonly pause: number
  readonly next: number
  /** The repair came about. */
  readonly isDone: boolean
}

/**
 * What was repaired, and has to be again. A file on a disk that takes no writes, or a unit that ends as soon as it is started, is reported,
 * and tried less and less often.
 */
export class Repairs {
  readonly #first: number
  readonly #tries = new Map<string, Try>()

  /** @param first milliseconds until the second try; each pause after it is twice as long */
  constructor(first: number) {
    this.#first = first
  }

  /**
   * @param options.among what this look compared, since somebody has changed it by now; of anything else it says nothing. What was repaired
   * before that is repaired again: how often, is for others to decide. Default: all, whether or not somebody has changed it.
   * @returns of what has drifted, what is to be repaired now, and what did not stay repaired before.
   */
  sort(
    drifted: readonly string[],
    at: number,
    { among }: { readonly among?: Among | undefined } = {},
  ): { readonly due: readonly string[]; readonly stubborn: readonly string[] } {
    for (const [subject, { isDone }] of this.#tries) {
      const isOver = !drifted.includes(subject) || (among !== undefined && isDone)
      if (isOver && (among?.(subject) ?? true)) this.#tries.delete(subject)
    }
    const stubborn = drifted.filter((subject) => this.#tries.has(subject))
    const due = drifted.filter((subject) => at >= (this.#tries.get(subject)?.next ?? at))
    for (const subject of due) {
      const pause = Math.min(2 * (this.#tries.get(subject)?.pause ?? this.#first / 2), LONGEST_PAUSE)
      this.#tries.set(subject, { pause, next: at + pause, isDone: false })
    }
    return { due, stubborn }
  }

  /** The repair of these came about. */
  done(subjects: readonly string[]): void {
    for (const subject of subjects) {
      const last = this.#tries.get(subject)
      if (last !== undefined) this.#tries.set(subject, { ...last, isDone: true })
    }
  }
}
