import type { Among } from '../transaction/prospect.ts'

/** Milliseconds: what never stays repaired is tried at least this often, since what kept it from that may be gone. */
export const LONGEST_PAUSE = 3_600_000

/**
 * What was repaired, and has to be again. A file on a disk that takes no writes, or a unit that ends as soon as it is started, is reported,
 * and tried less and less often.
 */
export class Mending {
  readonly #first: number
  readonly #tries = new Map<string, { readonly pause: number; readonly next: number }>()

  /** @param first milliseconds until the second try; each pause after it is twice as long */
  constructor(first: number) {
    this.#first = first
  }

  /**
   * @param options.among what this look compared; of anything else it says nothing
   * @returns of what has drifted, what is to be repaired now, and what did not stay repaired before.
   */
  sort(
    drifted: readonly string[],
    at: number,
    { among = () => true }: { readonly among?: Among | undefined } = {},
  ): { readonly due: readonly string[]; readonly stubborn: readonly string[] } {
    for (const subject of this.#tries.keys()) if (among(subject) && !drifted.includes(subject)) this.#tries.delete(subject)
    const stubborn = drifted.filter((subject) => this.#tries.has(subject))
    const due = drifted.filter((subject) => at >= (this.#tries.get(subject)?.next ?? at))
    for (const subject of due) {
      const pause = Math.min(2 * (this.#tries.get(subject)?.pause ?? this.#first / 2), LONGEST_PAUSE)
      this.#tries.set(subject, { pause, next: at + pause })
    }
    return { due, stubborn }
  }
}
