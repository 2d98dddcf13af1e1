import { type KubeApi, KubeError } from '../../kube/kube-api.ts'
import type { Clock } from '../clock/clock.ts'
import { isOutage } from '../clock/outage-log.ts'
import type { Log } from '../log/log.ts'

export interface ServerVersionsOptions {
  readonly kube: KubeApi
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
  /** Called when an answer differs from the last one. */
  readonly changed: () => void
}

/** Before an API server that could not answer is asked again, in milliseconds. */
const RETRY = 5_000
const MAX_VERSION = 100

/**
 * What API servers answer to `/version`. Several may stand behind one address, and while they are upgraded they differ; so each watch
 * that is opened again asks, and its answer counts until it asks again. Nothing is asked in between.
 */
export class ServerVersions {
  readonly #options: ServerVersionsOptions
  /** By path of the watch. */
  readonly #answers = new Map<string, string>()
  readonly #asking = new Map<string, symbol>()

  constructor(options: ServerVersionsOptions) {
    this.#options = options
  }

  /** Each once, in an order that does not depend on who asked first. */
  get answers(): readonly string[] {
    return [...new Set(this.#answers.values())].sort()
  }

  /** Resolves once there is an answer, there can be none, or a later question of the same watch has taken over; never rejects. */
  async ask(watch: string): Promise<void> {
    const { clock, log, signal } = this.#options
    const turn = Symbol(watch)
    this.#asking.set(watch, turn)
    while (!signal.aborted && this.#asking.get(watch) === turn) {
      try {
        this.#note(watch, await this.#version())
        return
      } catch (error) {
        if (signal.aborted) return
        if (!isOutage(error)) log('warn', `get "/version": ${(error as Error).message}`)
        if (error instanceof KubeError && error.reaction === 'refuse') return this.#note(watch, undefined)
      }
      await clock.sleepUntil(clock.now() + RETRY, signal)
    }
  }

  async #version(): Promise<string> {
    const { kube, signal } = this.#options
    const { gitVersion } = Object(await kube.get<unknown>('/version', { signal }))
    return String(gitVersion).slice(0, MAX_VERSION)
  }

  #note(watch: string, version: string | undefined): void {
    const before = this.answers.join()
    if (version === undefined) this.#answers.delete(watch)
    else this.#answers.set(watch, version)
    if (this.answers.join() !== before) this.#options.changed()
  }
}
