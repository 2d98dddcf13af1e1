const HOUR = 3_600_000

/**
 * What was put back again and again, though it stayed right for a while each time: another tool changes it. To go on would disturb the host
 * for ever, so it is left alone until something else is assigned.
 */
export class Fights {
  /** Of the configuration that was put back. */
  #digest: string | undefined
  readonly #repairs = new Map<string, readonly number[]>()
  readonly #contested = new Set<string>()

  /** Of these, what somebody else fights for. @param digest of what the host is made by */
  contested(subjects: readonly string[], digest: string): readonly string[] {
    this.#forget(digest)
    return subjects.filter((subject) => this.#contested.has(subject))
  }

  /** They were put back now. @param at monotonic milliseconds @param most how often within an hour */
  repaired(
    subjects: readonly string[],
    { digest, at, most }: { readonly digest: string; readonly at: number; readonly most: number },
  ): void {
    this.#forget(digest)
    for (const subject of subjects) {
      const recent = [...(this.#repairs.get(subject) ?? []).filter((earlier) => at - earlier < HOUR), at]
      this.#repairs.set(subject, recent)
      if (recent.length >= most) this.#contested.add(subject)
    }
  }

  #forget(digest: string): void {
    if (this.#digest === digest) return
    this.#digest = digest
    this.#repairs.clear()
    this.#contested.clear()
  }
}
