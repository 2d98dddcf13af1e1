import { DEFAULT_TIMING } from '../../agent/options.ts'
import type { Clock } from '../../agent/ports.ts'
import type { Ending } from '../../agent/transaction/journal.ts'
import type { KubeApi, KubeObject } from '../../kube/kube-api.ts'
import { type DesiredConfig, parseDesiredConfig } from '../../protocol/desired-config.ts'
import { namesFor } from '../../protocol/names.ts'
import { readOnce } from '../../protocol/read-once.ts'
import type { LightAssignment } from './agent-memory.ts'
import { LightAgent } from './light-agent.ts'

export interface LightAgentsOptions {
  readonly kube: KubeApi
  readonly clock: Clock
  /** Milliseconds that the node's agent needs. @param version of the kubelet that runs, without `v` */
  readonly timeOf: (work: { readonly node: string; readonly version: string; readonly desired: DesiredConfig }) => number
  /** Nodes on which every change fails and is undone. */
  readonly fails: ReadonlySet<string>
  readonly signal: AbortSignal
}

interface Work {
  readonly name: string
  /** Of the assignment. */
  readonly text: string | undefined
  /** Of the kubelet, without `v`. */
  readonly version: string
}

const KEPT: Ending = { kind: 'kept' }
const FAILED: Ending = { kind: 'undone', failure: { reason: 'Simulated', message: 'simulated failure (--fail)' } }
const names = namesFor()
const UNASSIGNED = new LightAgent(names)
const NODES = '/api/v1/nodes'
/** Milliseconds. Work that takes longer is reported when it is taken: the controller takes an agent that says nothing for a dead one. */
const SILENT_AT_MOST = 60_000

/**
 * The agents of a whole fleet, without hosts: each assignment is kept, or fails, after the time that it would take, and is reported in one
 * patch where that is soon. What falls due together is done together, so tens of thousands cost no more than their patches. No kubelet is
 * restarted, and each kept configuration holds its trial.
 */
export class LightAgents {
  readonly #options: LightAgentsOptions
  /** By node, what it was last assigned. */
  readonly #texts = new Map<string, string>()
  readonly #agents = new Map<string, LightAgent>()
  readonly #due = new Map<number, (() => Promise<void>)[]>()
  readonly #read = readOnce(parseDesiredConfig)

  constructor(options: LightAgentsOptions) {
    this.#options = options
  }

  /** Follows the Nodes until the signal; what they are assigned at the beginning, they have. */
  async run(): Promise<void> {
    const { kube, signal } = this.#options
    for await (const event of kube.follow(NODES, { project: (node) => node, signal })) {
      if (event.type === 'sync') this.#begin(event.items)
      if (event.type === 'upsert') this.#look(event.item)
    }
  }

  #begin(nodes: readonly KubeObject[]): void {
    const now = this.#now
    const settled = readOnce((text) => UNASSIGNED.settle({ text, desired: this.#read(text) }, now))
    for (const node of nodes) {
      const text = assignmentOf(node)
      if (text === undefined) continue
      this.#texts.set(node.metadata.name, text)
      this.#agents.set(node.metadata.name, settled(text))
    }
  }

  #look(node: KubeObject): void {
    const { name } = node.metadata
    const text = assignmentOf(node)
    const before = this.#texts.get(name)
    if (before === text) return
    const version = versionOf(node)
    if (text === undefined) this.#texts.delete(name)
    else this.#texts.set(name, text)
    const assignment = this.#assignment(text)
    const { isThere } = this.#become(name, (agent) => agent.take(assignment, this.#now))
    const work = { name, text, version }
    // The kubelet has run long enough: an agent that has nothing to change reports at once.
    const needs = isThere ? 0 : this.#options.timeOf({ node: name, version, desired: assignment?.desired ?? {} })
    if (needs > SILENT_AT_MOST) void this.#report(work)
    this.#after(needs, work, () => this.#finish(work, assignment))
  }

  #assignment(text: string | undefined): LightAssignment | undefined {
    return text === undefined ? undefined : { text, desired: this.#read(text) }
  }

  /** @param milliseconds from now, unless something else is assigned until then */
  #after(milliseconds: number, { name, text }: Work, action: () => Promise<void>): void {
    const at = this.#options.clock.elapsed() + milliseconds
    const actions = this.#due.get(at) ?? []
    // What was assigned meanwhile is no longer worked for.
    actions.push(async () => {
      if (this.#texts.get(name) === text) await action()
    })
    this.#due.set(at, actions)
    if (actions.length === 1) void this.#actAt(at)
  }

  async #actAt(at: number): Promise<void> {
    const { clock, signal } = this.#options
    await clock.sleep(at - clock.elapsed(), signal)
    const actions = this.#due.get(at) ?? []
    this.#due.delete(at)
    for (const action of actions) if (!signal.aborted) await action()
  }

  async #finish(work: Work, assignment: LightAssignment | undefined): Promise<void> {
    const { fails } = this.#options
    const { name, version } = work
    const ending = fails.has(name) && !this.#agentOf(name).isThere ? FAILED : KEPT
    this.#become(name, (agent) => agent.end(ending, this.#now))
    const runs = ending === KEPT ? (assignment?.desired.KUBELET_VERSION ?? version) : version
    const done = { ...work, version: runs }
    await this.#report(done, runs === version ? {} : { status: { nodeInfo: { kubeletVersion: `v${runs}` } } })
    if (ending === KEPT && assignment !== undefined) this.#after(DEFAULT_TIMING.trial, work, () => this.#holdTrial(done))
  }

  #holdTrial(work: Work): Promise<void> {
    this.#become(work.name, (agent) => agent.holdTrial(this.#now))
    return this.#report(work)
  }

  /** @param ofKubelet what the kubelet says at the same time: one write has both */
  async #report({ name, version }: Work, ofKubelet: { readonly status?: object } = {}): Promise<void> {
    const metadata = { annotations: this.#agentOf(name).report(version) }
    const path = ofKubelet.status === undefined ? `${NODES}/${name}` : `${NODES}/${name}/status`
    await this.#options.kube.patch(path, { metadata, ...ofKubelet })
  }

  #become(name: string, change: (agent: LightAgent) => LightAgent): LightAgent {
    const agent = change(this.#agentOf(name))
    this.#agents.set(name, agent)
    return agent
  }

  #agentOf(name: string): LightAgent {
    return this.#agents.get(name) ?? UNASSIGNED
  }

  get #now(): string {
    return new Date(this.#options.clock.now()).toISOString()
  }
}

function assignmentOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[names.desiredConfig]
}

function versionOf({ status }: KubeObject): string {
  const { nodeInfo } = (status ?? {}) as { readonly nodeInfo?: { readonly kubeletVersion?: string } }
  return (nodeInfo?.kubeletVersion ?? '').replace(/^v/, '')
}
