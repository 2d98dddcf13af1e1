/** Of seconds of CPU: a process that only waits uses less, even beside a busy machine's other work. */
const LITTLE_CPU = 0.5

/** What the process that runs tests has used of the CPU since a test file ended last. */
export class Progress {
  #since = cpuSeconds()
  #busy = { cpu: cpuSeconds(), at: performance.now() }
  readonly #under = new Map<string, number>()
  readonly #used = new Map<string, number>()

  /** The test files that have begun and not ended. */
  get under(): readonly string[] {
    return [...this.#under.keys()]
  }

  restart(): void {
    this.#since = cpuSeconds()
    this.#busy = { cpu: this.#since, at: performance.now() }
    this.#under.clear()
  }

  began(test: string): void {
    this.#under.set(test, this.#since)
  }

  ended(test: string): void {
    this.#used.set(test, cpuSeconds() - (this.#under.get(test) ?? this.#since))
    this.restart()
  }

  cpuOf(test: string): number {
    return this.#used.get(test) ?? 0
  }

  isOver(seconds: number): string | undefined {
    return cpuSeconds() - this.#since > seconds ? `no test file ended within ${seconds} s of CPU` : undefined
  }

  isIdle(seconds: number): string | undefined {
    const cpu = cpuSeconds()
    if (cpu - this.#busy.cpu > LITTLE_CPU) this.#busy = { cpu, at: performance.now() }
    return performance.now() - this.#busy.at > seconds * 1000 ? `it has waited for ${seconds} s` : undefined
  }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
