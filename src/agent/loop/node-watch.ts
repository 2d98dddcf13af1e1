import type { Pauses } from '../../kube/backoff.ts'
import type { Names } from '../../protocol/names.ts'
import type { AgentPorts, Clock, OwnNode } from '../ports.ts'
import { Retry } from './retry.ts'

/** A watch that stood for less, in milliseconds, counts as a failure, though it began well: else a right that is half there is asked for without end. */
const PROVEN_AFTER = 5000

/** What stands on the Node: the annotation's text, or null when there is none. */
export interface Wanted {
  readonly text: string | null
  /** uid of the Node. */
  readonly node: string
  /** Its name. */
  readonly name: string
  /** The agent's report as it stands there. */
  readonly shown: string | undefined
  /** The pool that its label names; undefined: no controller manages the Node. */
  readonly pool?: string | undefined
}

type WatchPorts = Pick<AgentPorts, 'node' | 'clock' | 'random' | 'log'>

export interface NodeWatchOptions {
  /** The annotations that say what is wanted and what was reported, and the label of the pool. */
  readonly names: Pick<Names, 'desiredConfig' | 'status' | 'pool'>
  readonly retry: Pauses
  readonly onNode: (node: OwnNode) => void
  /** The API server answers, for the first time or again. */
  readonly onOpen: () => void
}

/** What the own Node says, as far as it is known. */
export class NodeWatch {
  readonly #ports: WatchPorts
  readonly #options: NodeWatchOptions
  #node: OwnNode | undefined
  #wake = new AbortController()
  #superseded = new AbortController()
  #isStopped = false
  #awaited: { readonly news: AbortController; readonly isNews: (wanted: Wanted) => boolean } | undefined

  constructor(ports: WatchPorts, options: NodeWatchOptions) {
    this.#ports = ports
    this.#options = options
  }

  get node(): OwnNode | undefined {
    return this.#node
  }

  /** Undefined as long as the API server has not been reached. */
  get wanted(): Wanted | undefined {
    const { desiredConfig, status, pool } = this.#options.names
    if (this.#node === undefined) return undefined
    const { name, annotations, labels, uid } = this.#node
    return { text: annotations[desiredConfig] ?? null, node: uid, name, shown: annotations[status], pool: labels[pool] }
  }

  /** Aborts when the agent is to stop, or something else is wanted than now. */
  untilSuperseded(): AbortSignal {
    this.#superseded = new AbortController()
    return this.#superseded.signal
  }

  /** Aborts when the agent is to stop, or something is wanted of which this is true. */
  untilWanted(isNews: (wanted: Wanted) => boolean): AbortSignal {
    const news = new AbortController()
    this.#awaited = { news, isNews }
    if (this.#isStopped) news.abort()
    return news.signal
  }

  /** Until something else is wanted, the API server is found again, or the time is over. */
  async sleep(milliseconds: number, clock: Clock): Promise<void> {
    await clock.sleep(milliseconds, this.#wake.signal)
    if (this.#wake.signal.aborted) this.#wake = new AbortController()
  }

  /** There is something to do that the Node does not tell of. */
  wake(): void {
    this.#wake.abort()
  }

  /** Follows the Node until `signal` aborts, whatever the API server answers: a right that is missing today may be there tomorrow. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#ports
    const retry = new Retry(this.#options.retry, random)
    const stop = (): void => {
      this.#isStopped = true
      this.#awaited?.news.abort()
      this.#notify()
    }
    signal.addEventListener('abort', stop, { once: true })
    while (!signal.aborted) {
      let openedAt = Number.POSITIVE_INFINITY
      const onOpen = (): void => {
        openedAt = clock.elapsed()
        this.#opened()
      }
      const trouble = await this.#follow(signal, onOpen)
      if (clock.elapsed() - openedAt >= PROVEN_AFTER) retry.succeeded()
      const pause = retry.failed()
      if (signal.aborted) return
      log.warn('the watch of this Node ended', { error: String(trouble), retryIn: pause })
      await clock.sleep(pause, signal)
    }
  }

  /** @returns what ended it. */
  async #follow(signal: AbortSignal, onOpen: () => void): Promise<unknown> {
    const { node, log } = this.#ports
    const onTrouble = (error: unknown): void => log.warn('the API server does not answer as it should', { error: String(error) })
    try {
      for await (const seen of node.follow(signal, { onOpen, onTrouble })) this.#see(seen)
      return 'the watch ended'
    } catch (error) {
      return error
    }
  }

  /** What waits for the API server need not wait any longer. */
  #opened(): void {
    this.#options.onOpen()
    this.#wake.abort()
  }

  #see(node: OwnNode): void {
    const before = this.wanted
    this.#node = node
    this.#options.onNode(node)
    const { wanted } = this
    if (wanted === undefined || (wanted.text === before?.text && wanted.node === before.node)) return
    if (this.#awaited?.isNews(wanted)) this.#awaited.news.abort()
    this.#notify()
  }

  #notify(): void {
    this.#superseded.abort()
    this.#wake.abort()
  }
}
