import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestOrder, TestResult } from './run-tests.ts'

/** Runs tests in the copy; what never ends is ended, and counts as failed. */
export class Runner {
  readonly #copy: string
  #vitest: ChildProcess | undefined

  constructor(copy: string) {
    this.#copy = copy
  }

  async run(order: TestOrder): Promise<TestResult> {
    this.#vitest ??= fork(join(this.#copy, 'test/mutation/run-tests.ts'), {
      cwd: this.#copy,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const vitest = this.#vitest
    const ended = new AbortController()
    vitest.send(order)
    const answer: Promise<TestResult> = once(vitest, 'message', ended).then(([result]) => result)
    const exit = once(vitest, 'exit', ended).then(([code, signal]): TestResult => {
      return { failed: `its end: the process ended with ${signal ?? `code ${code}`}`, milliseconds: [] }
    })
    const result = await Promise.race([answer, exit])
    ended.abort()
    await Promise.allSettled([answer, exit])
    if (vitest.exitCode !== null || vitest.signalCode !== null) this.#vitest = undefined
    return result
  }

  stop(): void {
    this.#vitest?.kill('SIGKILL')
  }
}
