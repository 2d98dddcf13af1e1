import { throwFirst } from '../writes/for-each.ts'

/** What is refused in one step keeps no other from being taken: what cannot be deleted keeps no node from its rights. */
export class Steps {
  readonly #failures: unknown[] = []
  #isDone = true

  async take(step: () => Promise<{ readonly isDone: boolean }>): Promise<void> {
    try {
      const { isDone } = await step()
      this.#isDone &&= isDone
    } catch (error) {
      this.#failures.push(error)
    }
  }

  /** @throws what failed */
  end(): { readonly isDone: boolean } {
    throwFirst(this.#failures)
    return { isDone: this.#isDone }
  }
}
