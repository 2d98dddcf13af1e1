import { KubeError } from '../kube/kube-api.ts'
import { type AgentStatus, formatAgentStatus } from '../protocol/agent-status.ts'
import type { Names } from '../protocol/names.ts'
import type { AgentPorts, OwnNode } from './ports.ts'

export interface Report {
  readonly status: AgentStatus
  /** Of what the host is made by; undefined: the local configuration. */
  readonly currentConfig: string | undefined
}

type Annotations = Readonly<Record<string, string | null>>

const FIRST_PAUSE = 1000
const LONGEST_PAUSE = 60_000

/**
 * Keeps the Node's annotations as they should be: whatever was reported last, in one patch, and none at all when it stands there
 * already. Nobody waits for it: an API server that is away holds up no work, and what it missed in between is never sent.
 */
export class Reporter {
  readonly #names: Names
  readonly #ports: Pick<AgentPorts, 'node' | 'clock' | 'log'>
  #wanted: Annotations | undefined
  #uid: string | undefined
  #known: Readonly<Record<string, string>> | undefined
  #sending = false
  readonly #stop = new AbortController()

  constructor(names: Names, ports: Pick<AgentPorts, 'node' | 'clock' | 'log'>) {
    this.#names = names
    this.#ports = ports
  }

  /** What stands on the Node now. A Node that is new to us may lack what was reported before. */
  seen({ uid, annotations }: Pick<OwnNode, 'uid' | 'annotations'>): void {
    const isNew = this.#uid !== uid
    this.#uid = uid
    this.#known = annotations
    if (isNew) void this.#send()
  }

  report({ status, currentConfig }: Report): void {
    this.#wanted = { [this.#names.status]: formatAgentStatus(status), [this.#names.currentConfig]: currentConfig ?? null }
    void this.#send()
  }

  /** Sends nothing more; a patch that is under way ends. */
  stop(): void {
    this.#stop.abort()
  }

  async #send(): Promise<void> {
    if (this.#sending) return
    this.#sending = true
    let pause = FIRST_PAUSE
    for (let patch = this.#missing(); patch !== undefined; patch = this.#missing()) {
      try {
        await this.#ports.node.annotate(patch)
        this.#remember(patch)
        pause = FIRST_PAUSE
      } catch (error) {
        this.#ports.log.warn('report not delivered yet', { error: String(error), retryIn: pause })
        if (error instanceof KubeError && error.reaction === 'refuse') pause = LONGEST_PAUSE
        await this.#ports.clock.sleep(pause, this.#stop.signal)
        pause = Math.min(pause * 2, LONGEST_PAUSE)
      }
    }
    this.#sending = false
  }

  /** Nothing is sent before it is known what is there: an agent that starts again has usually nothing to say. */
  #missing(): Annotations | undefined {
    const known = this.#known
    if (known === undefined || this.#wanted === undefined || this.#stop.signal.aborted) return undefined
    const differing = Object.entries(this.#wanted).filter(([key, value]) => (known[key] ?? null) !== value)
    return differing.length === 0 ? undefined : Object.fromEntries(differing)
  }

  #remember(patch: Annotations): void {
    const merged = { ...this.#known, ...patch }
    this.#known = Object.fromEntries(Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== null))
  }
}
