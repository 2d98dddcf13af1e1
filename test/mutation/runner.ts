import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { CodeOrder, TestOrder, TestResult } from './run-tests.ts'

/** Runs tests in the copy; what never ends is ended, and counts as failed. */
export class Runner {
  readonly #copy: string
  readonly #env: Readonly<Record<string, string>>
  #vitest: ChildProcess | undefined

  constructor(copy: string, env: Readonly<Record<string, string>> = {}) {
    this.#copy = copy
    this.#env = env
  }

  async run(order: TestOrder): Promise<TestResult> {
    const result = await this.#ask<TestResult>(order, (end) => ({ failed: `its end: ${end}`, passed: [] }))
    if (result.isStuck) this.stop()
    return result
  }

  /** The code that runs for a source file as it is now. */
  async codeOf(path: string): Promise<string> {
    return this.#ask<string>({ codeOf: path }, () => '')
  }

  stop(): void {
    this.#vitest?.kill('SIGKILL')
    this.#vitest = undefined
  }

  async #ask<T>(order: TestOrder | CodeOrder, onExit: (end: string) => T): Promise<T> {
    this.#vitest ??= fork(join(this.#copy, 'test/mutation/run-tests.ts'), {
      cwd: this.#copy,
      env: { ...process.env, ...this.#env },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const vitest = this.#vitest
    const ended = new AbortController()
    vitest.send(order)
    const answer: Promise<T> = once(vitest, 'message', ended).then(([result]) => result)
    const exit = once(vitest, 'exit', ended).then(([code, signal]) => {
      return onExit(`the process ended with ${signal ?? `code ${code}`}`)
    })
    const result = await Promise.race([answer, exit])
    ended.abort()
    await Promise.allSettled([answer, exit])
    if (vitest.exitCode !== null || vitest.signalCode !== null) this.#vitest = undefined
    return result
  }
}
