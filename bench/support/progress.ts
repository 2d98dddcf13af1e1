/** The steps of a long bench: says each as it is done, and knows which are left. */
export class Progress {
  readonly #left: string[]
  readonly #say: (line: string) => void

  constructor(steps: readonly string[], say: (line: string) => void = console.error) {
    this.#left = [...steps]
    this.#say = say
  }

  done(step: string): void {
    this.#left.splice(this.#left.indexOf(step), 1)
    this.#say(`${new Date().toISOString()} ${step}`)
  }

  /** The steps that begin so cannot be done any more. */
  drop(prefix: string): void {
    const kept = this.#left.filter((step) => !step.startsWith(prefix))
    this.#left.splice(0, this.#left.length, ...kept)
  }

  /** What is not done yet, in order: the first is under way. */
  get left(): readonly string[] {
    return this.#left
  }
}
