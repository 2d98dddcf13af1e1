import type { AgentPorts, Clock, OwnNode } from './ports.ts'

const PAUSE = { first: 1000, longest: 60_000 }

/** What stands on the Node: the annotation's text, or null when there is none. */
export interface Wanted {
  readonly text: string | null
  /** uid of the Node. */
  readonly node: string
}

/** What the own Node says, as far as it is known. */
export class NodeWatch {
  readonly #ports: Pick<AgentPorts, 'node' | 'clock' | 'log'>
  readonly #annotation: string
  readonly #onNode: (node: OwnNode) => void
  #node: OwnNode | undefined
  #wake = new AbortController()
  #superseded = new AbortController()

  constructor(
    ports: Pick<AgentPorts, 'node' | 'clock' | 'log'>,
    options: { readonly annotation: string; readonly onNode: (node: OwnNode) => void },
  ) {
    this.#ports = ports
    this.#annotation = options.annotation
    this.#onNode = options.onNode
  }

  get node(): OwnNode | undefined {
    return this.#node
  }

  /** Undefined as long as the API server has not been reached. */
  get wanted(): Wanted | undefined {
    return this.#node && { text: this.#node.annotations[this.#annotation] ?? null, node: this.#node.uid }
  }

  /** Aborts when something else is wanted than now. */
  untilSuperseded(): AbortSignal {
    this.#superseded = new AbortController()
    return this.#superseded.signal
  }

  /** Until something else is wanted, or the time is over. */
  async sleep(milliseconds: number, clock: Clock): Promise<void> {
    await clock.sleep(milliseconds, this.#wake.signal)
    if (this.#wake.signal.aborted) this.#wake = new AbortController()
  }

  /** Follows the Node until `signal` aborts, whatever the API server answers: a right that is missing today may be there tomorrow. */
  async run(signal: AbortSignal): Promise<void> {
    const { node, clock, log } = this.#ports
    let pause = PAUSE.first
    signal.addEventListener('abort', () => this.#notify(), { once: true })
    while (!signal.aborted) {
      try {
        for await (const seen of node.follow(signal)) {
          this.#see(seen)
          pause = PAUSE.first
        }
      } catch (error) {
        log.warn('lost sight of the own Node', { error: String(error), retryIn: pause })
      }
      if (!signal.aborted) await clock.sleep(pause, signal)
      pause = Math.min(pause * 2, PAUSE.longest)
    }
  }

  #see(node: OwnNode): void {
    const before = this.wanted
    this.#node = node
    this.#onNode(node)
    if (this.wanted?.text !== before?.text || this.wanted?.node !== before?.node) this.#notify()
  }

  #notify(): void {
    this.#superseded.abort()
    this.#wake.abort()
  }
}
