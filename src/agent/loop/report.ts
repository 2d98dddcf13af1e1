import type { Pauses } from '../../kube/backoff.ts'
import { KubeError } from '../../kube/kube-api.ts'
import { type AgentStatus, formatAgentStatus } from '../../protocol/agent-status.ts'
import type { Names } from '../../protocol/names.ts'
import { isSameData } from '../../protocol/same-data.ts'
import { showsAssignment } from '../policy/accept-assignment.ts'
import type { AgentPorts, OwnNode } from '../ports.ts'
import { Retry } from './retry.ts'

export interface Report {
  readonly status: AgentStatus
  /** Of what the host is made by; undefined: the local configuration. */
  readonly currentConfig: string | undefined
  /** uid of the Node whose assignment it is about; absent: it is about none. */
  readonly about?: string | undefined
}

type Annotations = Readonly<Record<string, string | null>>

/** Null: there is none. @param node uid of the Node that they are written to */
export function annotationsOf({ status, currentConfig, about }: Report, names: Names, node: string | undefined): Annotations {
  // What another Node of this machine was assigned would make a backup of this one show a removal.
  const assigned = (about ?? node) === node ? status.assigned : undefined
  return { [names.status]: formatAgentStatus({ ...status, assigned, node }), [names.currentConfig]: currentConfig ?? null }
}

export interface ReporterContext extends Pick<AgentPorts, 'node' | 'clock' | 'random' | 'log'> {
  readonly retry: Pauses
  /** The Node shows all that was reported. */
  readonly onDelivered?: () => void
}

/** What is known of the Node. */
type Known = Pick<OwnNode, 'uid' | 'version' | 'annotations'>

/**
 * Keeps the Node's annotations as they should be: whatever was reported last, in one patch, and none at all when it stands there
 * already. Nobody waits for it: an API server that is away holds up no work, and what it missed in between is never sent. A patch that a
 * proxy or the kernel still holds when its time is over may arrive after a newer one: then its version is over, too, and it is refused.
 */
export class Reporter {
  readonly #names: Names
  readonly #context: ReporterContext
  readonly #retry: Retry
  #wanted: Report | undefined
  #known: Known | undefined
  #sending = false
  /** Resolves when the Node shows what was reported. */
  #delivery: Promise<void> = Promise.resolve()
  #stopped = false
  #wake = new AbortController()

  constructor(names: Names, context: ReporterContext) {
    this.#names = names
    this.#context = context
    this.#retry = new Retry(context.retry, context.random)
  }

  /** What stands on the Node now. A Node that is new to us may lack what was reported before. */
  seen(node: Known): void {
    const isNew = this.#known?.uid !== node.uid
    this.#known = node
    if (isNew) this.#send()
  }

  /** News is tried at once, also while something older waits: others may act upon what stands on the Node. */
  report(report: Report): void {
    const before = this.#wanted
    this.#wanted = report
    if (!isSameData(before, this.#wanted)) this.retryNow()
    this.#send()
  }

  /** Resolves when the Node shows what was reported, or after so many milliseconds. */
  async delivered(within: number): Promise<void> {
    const over = new AbortController()
    await Promise.race([this.#delivery, this.#context.clock.sleep(within, over.signal)])
    over.abort()
  }

  /** Somebody may have removed what was reported, or a restored etcd has forgotten it. */
  check(): void {
    this.#send()
  }

  /** What could not be delivered is tried now: the API server answers again. */
  retryNow(): void {
    this.#wake.abort()
  }

  /** Sends nothing more; a patch that is under way ends. */
  stop(): void {
    this.#stopped = true
    this.#wake.abort()
  }

  #send(): void {
    if (this.#sending) return
    this.#sending = true
    this.#delivery = this.#sendMissing()
  }

  async #sendMissing(): Promise<void> {
    for (let patch = this.#missing(); patch !== undefined; patch = this.#missing()) {
      try {
        await this.#deliver(patch)
        this.#retry.succeeded()
      } catch (error) {
        await this.#pause(error)
      }
    }
    this.#sending = false
    if (this.#known !== undefined && !this.#stopped) this.#context.onDelivered?.()
  }

  async #deliver(patch: Annotations): Promise<void> {
    const { node } = this.#context
    const before = this.#known
    const { version = '' } = before ?? {}
    const now = await node.annotate(patch, version).catch(async (error: unknown) => {
      if (!(error instanceof KubeError && error.reaction === 'conflict')) throw error
      // Something was written meanwhile, by the kubelet for one.
      const found = await node.get()
      if (found.version === version) throw error
      return found
    })
    // What the watch has told since is as new, or is found to be older by a refusal.
    if (this.#known === before) this.#known = now
  }

  /** A refusal is waited out like everything else: a right that is missing while a cluster comes up is there a moment later. */
  async #pause(error: unknown): Promise<void> {
    if (this.#stopped) return
    const { clock, log } = this.#context
    const pause = this.#retry.failed()
    log.warn('report not delivered yet', { error: String(error), retryIn: pause })
    this.#wake = new AbortController()
    await clock.sleep(pause, this.#wake.signal)
  }

  /**
   * Nothing is sent before it is known what is there: an agent that starts again has usually nothing to say. Nor is anything said about an assignment
   * that etcd has forgotten: it would look as if somebody had removed that.
   */
  #missing(): Annotations | undefined {
    const known = this.#known
    if (known === undefined || this.#wanted === undefined || this.#stopped) return undefined
    if (this.#wanted.about === known.uid && this.#hasForgotten(known)) return undefined
    const wanted = annotationsOf(this.#wanted, this.#names, known.uid)
    const differing = Object.entries(wanted).filter(([key, value]) => (known.annotations[key] ?? null) !== value)
    return differing.length === 0 ? undefined : Object.fromEntries(differing)
  }

  #hasForgotten({ uid, annotations }: Known): boolean {
    const { desiredConfig, status } = this.#names
    return annotations[desiredConfig] === undefined && !showsAssignment({ node: uid, shown: annotations[status] })
  }
}
