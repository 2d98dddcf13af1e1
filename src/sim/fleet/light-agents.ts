import type { Clock } from '../../agent/ports.ts'
import type { KubeApi, KubeObject } from '../../kube/kube-api.ts'
import { formatAgentStatus } from '../../protocol/agent-status.ts'
import { type DesiredConfig, parseDesiredConfig } from '../../protocol/desired-config.ts'
import { namesFor } from '../../protocol/names.ts'
import { readOnce } from '../../protocol/read-once.ts'

export interface LightAgentsOptions {
  readonly kube: KubeApi
  readonly clock: Clock
  /** Milliseconds that the node's agent needs. @param version of the kubelet that runs, without `v` */
  readonly timeOf: (work: { readonly node: string; readonly version: string; readonly desired: DesiredConfig }) => number
  /** Nodes on which every change fails and is undone. */
  readonly fails: ReadonlySet<string>
  readonly signal: AbortSignal
}

interface Seen {
  readonly name: string
  readonly text: string | undefined
  readonly version: string
}

interface Work extends Seen {
  readonly text: string
  readonly desired: DesiredConfig
}

const names = namesFor()
const NODES = '/api/v1/nodes'
/** Milliseconds. Work that takes longer is reported when it is taken: the controller takes an agent that says nothing for a dead one. */
const SILENT_AT_MOST = 60_000

/**
 * The agents of a whole fleet, without hosts: each assignment is answered after the time that it would take, as the protocol says, in
 * one patch where that is soon. What falls due together is done together, so tens of thousands cost no more than their patches.
 */
export class LightAgents {
  readonly #options: LightAgentsOptions
  /** By node, what it was last assigned. */
  readonly #texts = new Map<string, string>()
  readonly #due = new Map<number, Work[]>()
  readonly #read = readOnce(parseDesiredConfig)

  constructor(options: LightAgentsOptions) {
    this.#options = options
  }

  /** Follows the Nodes until the signal; what they are assigned at the beginning, they have. */
  async run(): Promise<void> {
    const { kube, signal } = this.#options
    for await (const event of kube.follow(NODES, { project: seenOf, signal })) {
      if (event.type === 'sync')
        for (const { name, text } of event.items) {
          if (text !== undefined) this.#texts.set(name, text)
        }
      if (event.type === 'upsert') this.#look(event.item)
    }
  }

  #look(seen: Seen): void {
    const { name, text, version } = seen
    if (text === undefined || this.#texts.get(name) === text) return
    this.#texts.set(name, text)
    const { clock, timeOf } = this.#options
    const desired = this.#read(text)
    const work = { ...seen, text, desired }
    const needs = timeOf({ node: name, version, desired })
    if (needs > SILENT_AT_MOST) void this.#take(work)
    const at = clock.elapsed() + needs
    const works = this.#due.get(at) ?? []
    works.push(work)
    this.#due.set(at, works)
    if (works.length === 1) void this.#finishAt(at)
  }

  async #finishAt(at: number): Promise<void> {
    const { clock, signal } = this.#options
    await clock.sleep(at - clock.elapsed(), signal)
    const works = this.#due.get(at) ?? []
    this.#due.delete(at)
    // What was assigned meanwhile is no longer worked for.
    for (const work of works) if (!signal.aborted && this.#texts.get(work.name) === work.text) await this.#finish(work)
  }

  async #take({ name, desired }: Work): Promise<void> {
    const { kube, clock } = this.#options
    const status = formatAgentStatus({ phase: 'Applying', ...about(desired, clock) })
    await kube.patch(`${NODES}/${name}`, { metadata: { annotations: { [names.status]: status } } })
  }

  async #finish({ name, text, version, desired }: Work): Promise<void> {
    const { kube, clock, fails } = this.#options
    const isUndone = fails.has(name)
    if (!isUndone && desired.KUBELET_VERSION !== undefined && desired.KUBELET_VERSION !== version) {
      const nodeInfo = { kubeletVersion: `v${desired.KUBELET_VERSION}` }
      await kube.patch(`${NODES}/${name}/status`, { status: { nodeInfo } })
    }
    const said = about(desired, clock)
    const status = isUndone
      ? formatAgentStatus({ phase: 'RolledBack', ...said, error: { reason: 'Simulated', message: 'it was told to fail' } })
      : formatAgentStatus({ phase: 'Applied', ...said, active: said.digest, lastKnownGood: said.digest })
    const annotations = { [names.status]: status, ...(!isUndone && { [names.currentConfig]: text }) }
    await kube.patch(`${NODES}/${name}`, { metadata: { annotations } })
  }
}

function about({ DIGEST = '', ASSIGNED, REVISION }: DesiredConfig, clock: Clock) {
  return {
    digest: DIGEST,
    assigned: DIGEST,
    since: new Date(clock.now()).toISOString(),
    ...(ASSIGNED !== undefined && { assignedAt: ASSIGNED }),
    ...(REVISION !== undefined && { revision: REVISION }),
  }
}

function seenOf({ metadata, status }: KubeObject): Seen {
  const { nodeInfo } = (status ?? {}) as { readonly nodeInfo?: { readonly kubeletVersion?: string } }
  return {
    name: metadata.name,
    text: metadata.annotations?.[names.desiredConfig],
    version: (nodeInfo?.kubeletVersion ?? '').replace(/^v/, ''),
  }
}
