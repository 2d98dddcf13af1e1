import { KubeError } from '../../kube/kube-api.ts'
import { causeText } from '../../kube/status-error.ts'
import type { Log } from '../log/log.ts'
import type { Clock } from './clock.ts'

/** Milliseconds after which a trouble that lasts is logged again. */
const AGAIN = 60_000
/** Lines in that time: a server in trouble may answer each request with another text. */
const MOST = 20

/**
 * Logs that the API server cannot be reached: once a minute for each cause. Each watch finds it out for itself every few seconds, and there
 * is one for each node under drain.
 */
export class OutageLog {
  readonly #log: Log
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #logged = new Set<string>()
  #since: number | undefined
  #isAway = false

  constructor(log: Log, clock: Pick<Clock, 'elapsed'>) {
    this.#log = log
    this.#clock = clock
  }

  /** @param what was asked for */
  trouble(what: string, error: unknown): void {
    const now = this.#clock.elapsed()
    if (this.#since === undefined || now - this.#since >= AGAIN) {
      this.#logged.clear()
      this.#since = now
    }
    const line = lineOf(what, error)
    if (this.#logged.has(line) || this.#logged.size === MOST) return
    this.#logged.add(line)
    if (isOutage(error)) this.#isAway = true
    this.#log('warn', line)
  }

  /** The server answers a request, or a watch stands. */
  ended(): void {
    if (this.#isAway) this.#log('info', 'the API server answers again')
    this.#isAway = false
  }
}

/** A connection that fails says nothing about what was asked for: one line for all. */
function lineOf(what: string, error: unknown): string {
  if (!(error instanceof KubeError)) return `${what}: ${String(error)}`
  if (error.code !== 0 || !(error.cause instanceof Error)) return `${what}: ${error.reason}: ${error.message}`
  return `the connection to the API server failed: ${causeText(error.cause)}; tried again until it answers`
}

/** Logged here, and nowhere else. 429 is an answer: a budget of pods that is spent, or a server that has no time. */
export function isOutage(error: unknown): boolean {
  return error instanceof KubeError && error.isAway && error.code !== 429
}
