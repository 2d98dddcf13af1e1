import { type ControllerSetup, runController } from '../cli/controller/run-controller.ts'
import type { Log } from '../controller/log/log.ts'

export interface ControllersOptions {
  readonly setup: ControllerSetup
  readonly ended: AbortSignal
  /** Called when one of them ends with an error. */
  readonly fail: (error: unknown) => void
}

interface Running {
  /** Resolves when it logs a line that begins so. */
  said(words: string): Promise<void>
  stop(): Promise<void>
}

/** The controllers of the demo: one leads, as in a cluster; others are there while they are needed. */
export class Controllers {
  readonly #options: ControllersOptions
  #leader: Running

  constructor(options: ControllersOptions) {
    this.#options = options
    this.#leader = this.#start()
  }

  /** Another one begins and stands by; then the leader ends, and the other goes on. @returns milliseconds in which nobody led */
  async handOver(): Promise<number> {
    const next = this.#start()
    const leads = next.said('leading as')
    await next.said('standing by')
    const began = performance.now()
    await this.#leader.stop()
    await leads
    this.#leader = next
    return performance.now() - began
  }

  #start(): Running {
    const { setup, ended, fail } = this.#options
    const own = new AbortController()
    const listeners = new Set<(line: string) => void>()
    const log: Log = (level, message, fields) => {
      setup.log(level, message, fields)
      for (const listener of listeners) listener(message)
    }
    const running = runController({ ceiling: true, ...setup, log }, AbortSignal.any([ended, own.signal])).catch(fail)
    return {
      said: (words) =>
        new Promise((resolve) => {
          listeners.add((line) => line.startsWith(words) && resolve())
        }),
      async stop() {
        own.abort()
        await running
      },
    }
  }
}
