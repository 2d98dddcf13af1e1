import type { AgentStatus } from '../../src/protocol/agent-status.ts'
import type { CordonMark } from '../../src/protocol/cordon-mark.ts'
import type { HistoryEntry, PoolCondition, PoolConditionType, RevisionRef } from '../../src/protocol/node-pool.ts'
import type { NodeProof } from '../../src/protocol/node-proof.ts'
import type { RebootOrder, RebootRequest } from '../../src/protocol/reboot-order.ts'
import type { RequestedBy } from '../../src/protocol/requested-by.ts'
import type { Decision } from '../../src/rollout/model/decision.ts'
import type { Instant } from '../../src/rollout/model/instant.ts'
import type { Assignment, NodeView, PodView, Pressure, ProofPod } from '../../src/rollout/model/node-view.ts'
import type { GatePolicy, ProofPolicy, RolloutPolicy, Share, WavePolicy } from '../../src/rollout/model/policy.ts'
import { type Memory, NO_MEMORY, type NodeTarget, type PoolSnapshot, type Revision } from '../../src/rollout/model/snapshot.ts'

export const noon: Instant = Date.parse('2026-11-21T12:00:00.000Z')
export const minute = 60_000
export const hour = 60 * minute

export function stamp(instant: Instant): string {
  return new Date(instant).toISOString()
}

/** A Ready node that nobody ever assigned anything. Each method gives a new node. */
export function aNode(name: string): NodeDraft {
  return new NodeDraft({
    name,
    labels: {},
    zone: 'zone-a',
    createdAt: noon - 24 * hour,
    ready: true,
    readySince: noon - 24 * hour,
    unschedulable: false,
    kubeletVersion: '1.36.3',
    assignedByHand: false,
  })
}

/** Created right now: it serves nobody yet. */
export function aYoungNode(name: string): NodeDraft {
  return aNode(name).createdAtInstant(noon)
}

export function nodes(...names: string[]): NodeDraft[] {
  return names.map(aNode)
}

interface When {
  readonly at?: Instant
  /** Who assigned it, and which commit. */
  readonly pool?: string
  readonly revision?: string
}

export class NodeDraft implements NodeView {
  declare readonly name: string
  declare readonly labels: Readonly<Record<string, string>>
  declare readonly zone: string
  declare readonly createdAt: Instant
  declare readonly ready: boolean
  declare readonly readySince: Instant
  declare readonly unschedulable: boolean
  declare readonly silent?: true
  declare readonly shutDown?: true
  declare readonly leaving?: boolean
  declare readonly pressures?: readonly Pressure[]
  declare readonly kubeletVersion: string
  declare readonly hold?: string
  declare readonly mark?: CordonMark
  declare readonly assigned?: Assignment
  declare readonly assignedByHand: boolean
  declare readonly bootId?: string
  declare readonly rebootRequest?: RebootRequest
  declare readonly rebootBy?: RequestedBy
  declare readonly status?: AgentStatus
  declare readonly proof?: NodeProof
  declare readonly pauseImage?: string
  declare readonly podCapacity?: number

  constructor(view: NodeView) {
    Object.assign(this, view)
  }

  /** Assigned and proved, two hours ago unless told otherwise. */
  on(digest: string, { at = noon - 2 * hour, since = at, ...by }: When & { readonly since?: Instant } = {}): NodeDraft {
    return this.assignedTo(digest, { at, ...by }).reporting('Applied', { since })
  }

  /** The annotation is written, and the agent has not said anything about it. */
  assignedTo(digest: string, { at = noon, pool = 'workers', revision = digest }: When = {}): NodeDraft {
    return this.#with({ assigned: { digest, revision, pool, grant: 'restart', at } })
  }

  /** The agent speaks of the present assignment. */
  reporting(
    phase: AgentStatus['phase'],
    { since, ...more }: Partial<Omit<AgentStatus, 'since'>> & { since?: Instant } = {},
  ): NodeDraft {
    const { digest = '', at = noon } = this.assigned ?? {}
    const active = phase === 'Applied' ? digest : this.status?.active
    const report = {
      phase,
      digest,
      assigned: digest,
      assignedAt: stamp(at),
      since: stamp(since ?? at),
      ...(active && { active }),
    }
    return this.#with({ status: { ...report, ...more } })
  }

  rolledBackFrom(digest: string, { at = noon - minute, to = 'older', ...by }: When & { readonly to?: string } = {}): NodeDraft {
    return this.assignedTo(digest, { at, ...by }).reporting('RolledBack', {
      active: to,
      error: { reason: 'HealthCheckFailed', message: 'failed to validate config: unknown flag: --foo' },
    })
  }

  notReady(since: Instant = noon - minute): NodeDraft {
    return this.#with({ ready: false, readySince: since })
  }

  /** Nothing is heard from its kubelet. */
  goneSilent(since: Instant = noon - minute): NodeDraft {
    return this.#with({ ready: false, readySince: since, silent: true })
  }

  poweredOff(since: Instant = noon - minute): NodeDraft {
    return this.#with({ ready: false, readySince: since, silent: true, shutDown: true })
  }

  readyAgain(since: Instant): NodeDraft {
    return this.#with({ ready: true, readySince: since })
  }

  cordoned(): NodeDraft {
    return this.#with({ unschedulable: true })
  }

  /** Cordoned by the controller for a drain, a minute ago unless told otherwise. */
  drainedFor(
    digest: string,
    { at = noon - minute, state = 'Ours' }: When & { readonly state?: CordonMark['state'] } = {},
  ): NodeDraft {
    return this.#with({ unschedulable: state === 'Ours' || state === 'Found', mark: { digest, at, state } })
  }

  uncordoned(): NodeDraft {
    return this.#with({ unschedulable: false })
  }

  /** Somebody deletes it. */
  beingDeleted(): NodeDraft {
    return this.#with({ leaving: true })
  }

  under(type: string, since: Instant): NodeDraft {
    return this.#with({ pressures: [{ type, since }] })
  }

  /** It reports a pause image, and how many pods it takes. */
  withPause(podCapacity = 110): NodeDraft {
    return this.#with({ pauseImage: 'registry.k8s.io/pause:3.10', podCapacity })
  }

  /** What is noted of the proof of the present assignment. */
  noting(state: NodeProof['state'], more: Partial<NodeProof> = {}): NodeDraft {
    const { digest = '', at = noon } = this.assigned ?? {}
    return this.#with({ proof: { digest, assignedAt: at, state, ...more } })
  }

  /** Its machine runs with this boot. */
  booted(bootId: string): NodeDraft {
    return this.#with({ bootId })
  }

  /** An operator asked for the end of this boot. */
  toReboot(boot: string, { at = stamp(noon - minute), who = 'ada' } = {}): NodeDraft {
    return this.#with({ rebootRequest: { boot, at, reason: 'new firmware' }, rebootBy: { who, at } })
  }

  /** Its host says that this boot has to end. */
  requiringReboot(boot: string): NodeDraft {
    const { status } = this
    if (status === undefined) throw new Error('its agent has reported nothing')
    return this.#with({ status: { ...status, reboot: { boot, because: ['/run/reboot-required', 'libc6'] } } })
  }

  /** Assigned with the order to end this boot, a minute ago unless told otherwise. */
  orderedToReboot(digest: string, order: RebootOrder, { at = noon - minute }: When = {}): NodeDraft {
    const assigned = { digest, revision: digest, pool: 'workers', grant: 'reboot', reboot: order, at } as const
    return this.#with({ assigned })
  }

  held(reason = 'under repair'): NodeDraft {
    return this.#with({ hold: reason })
  }

  byHand(): NodeDraft {
    return this.#with({ assignedByHand: true })
  }

  inZone(zone: string): NodeDraft {
    return this.#with({ zone })
  }

  labelled(labels: Readonly<Record<string, string>>): NodeDraft {
    return this.#with({ labels })
  }

  createdAtInstant(createdAt: Instant): NodeDraft {
    return this.#with({ createdAt })
  }

  running(kubeletVersion: string): NodeDraft {
    return this.#with({ kubeletVersion })
  }

  #with(change: Partial<NodeView>): NodeDraft {
    return new NodeDraft({ ...this, ...change })
  }
}

type ShareText = number | `${number}%`

export interface PoolOptions {
  /** The content of the newest commit, which is also its name. */
  readonly head?: string
  /** The name of the newest commit, when it is another than its content. */
  readonly commit?: string
  readonly stable?: string
  /** The rollout of the head began at this instant; without it, it begins with the decision. */
  readonly since?: Instant
  /** Contents that failed. */
  readonly rejected?: readonly string[]
  readonly history?: readonly HistoryEntry[]
  readonly wave?: Memory['wave']
  readonly retried?: string
  readonly waves?: readonly WavePolicy[]
  readonly maxUnavailable?: ShareText
  readonly maxFailures?: ShareText
  readonly onFailure?: RolloutPolicy['onFailure']
  readonly drain?: RolloutPolicy['drain']['mode'] | Partial<RolloutPolicy['drain']>
  readonly zones?: RolloutPolicy['zones']
  readonly cordoned?: RolloutPolicy['cordoned']
  /** Of nodes under drain, by name. */
  readonly pods?: Readonly<Record<string, readonly PodView[]>>
  /** Absent: no pod proves a node. */
  readonly proof?: Partial<ProofPolicy>
  /** Pods that prove nodes. */
  readonly proofs?: readonly ProofPod[]
  readonly applyTimeout?: number
  readonly reboot?: RolloutPolicy['reboot']
  readonly windows?: RolloutPolicy['windows']
  readonly dependsOn?: readonly string[]
  readonly rollbackOutsideWindows?: boolean
  /** What the head wants of single nodes, when it is not what it wants of all. */
  readonly wants?: Readonly<Record<string, Partial<Extract<NodeTarget, { kind: 'config' }>> | { readonly problem: string }>>
  readonly disruption?: Extract<NodeTarget, { kind: 'config' }>['disruption']
  readonly gates?: readonly GatePolicy[]
  readonly gateAnswers?: PoolSnapshot['gateAnswers']
  readonly controls?: PoolSnapshot['controls']
  readonly repositoryProblem?: string
  readonly fleet?: PoolSnapshot['fleet']
}

/** A pool called `workers`, whose every node is to be at `head`; its last completed content is `stable`, when given. */
export function aPool(options: PoolOptions = {}): { with(...nodes: readonly NodeView[]): PoolSnapshot } {
  return { with: (...members) => snapshotOf(options, members) }
}

function snapshotOf(options: PoolOptions, members: readonly NodeView[]): PoolSnapshot {
  const head = { ...aRevision(options.head ?? 'new', members), revision: options.commit ?? options.head ?? 'new' }
  const contents = [options.stable, ...(options.history ?? []).map(({ revision }) => revision)].filter(
    (name) => name !== undefined,
  )
  return {
    name: 'workers',
    policy: policyOf(options),
    nodes: members,
    ...(options.pods && { pods: podsOf(options.pods) }),
    ...(options.proofs && { proofs: { kind: 'known' as const, pods: new Map(options.proofs.map((pod) => [pod.node, pod])) } }),
    head: { ...head, wanted: wantedOf(head, options) },
    known: new Map(contents.map((name) => [name, aRevision(name, members)])),
    memory: memoryOf(options),
    controls: options.controls ?? {},
    ...(options.gateAnswers && { gateAnswers: options.gateAnswers }),
    ...(options.repositoryProblem !== undefined && { repositoryProblem: options.repositoryProblem }),
    ...(options.fleet && { fleet: options.fleet }),
  }
}

function podsOf(pods: NonNullable<PoolOptions['pods']>): NonNullable<PoolSnapshot['pods']> {
  return new Map(Object.entries(pods).map(([node, known]) => [node, { kind: 'known', pods: known }]))
}

/** A pod of a ReplicaSet in the namespace `shop`, that runs and may go. */
export function aPod(name: string, more: Partial<PodView> = {}): PodView {
  return {
    namespace: 'shop',
    name,
    uid: `uid-${name}`,
    controller: 'ReplicaSet',
    mirror: false,
    emptyDir: false,
    finished: false,
    terminating: false,
    ...more,
  }
}

export function aRef(content: string): RevisionRef {
  return { revision: content, fingerprint: `of ${content}` }
}

export function aRevision(content: string, members: readonly { readonly name: string }[]): Revision {
  return { ...aRef(content), wanted: new Map(members.map(({ name }) => [name, wantedConfig({ digest: content })])) }
}

function wantedConfig(config: Partial<Extract<NodeTarget, { kind: 'config' }>> & { readonly digest: string }): NodeTarget {
  return { kind: 'config', disruption: 'restart', ...config }
}

function wantedOf({ wanted }: Revision, { wants = {}, head = 'new', disruption }: PoolOptions): Revision['wanted'] {
  return new Map(
    [...wanted].map(([name, usual]) => {
      const special = wants[name]
      if (special && 'problem' in special) return [name, { kind: 'problem', message: special.problem }]
      if (special || disruption) return [name, wantedConfig({ digest: head, ...(disruption && { disruption }), ...special })]
      return [name, usual]
    }),
  )
}

function policyOf(options: PoolOptions): RolloutPolicy {
  return {
    waves: options.waves ?? [],
    ...(options.gates && { gates: options.gates }),
    maxUnavailable: shareOf(options.maxUnavailable ?? '100%'),
    maxFailures: shareOf(options.maxFailures ?? 0),
    onFailure: options.onFailure ?? 'Rollback',
    drain: {
      mode: 'Auto',
      timeout: 15 * minute,
      onTimeout: 'Wait',
      deleteEmptyDirData: false,
      force: false,
      ...(typeof options.drain === 'string' ? { mode: options.drain } : options.drain),
    },
    ...(options.proof && { proof: { mode: 'Auto', timeout: 2 * minute, ...options.proof } }),
    zones: options.zones ?? 'Any',
    cordoned: options.cordoned ?? 'Skip',
    applyTimeout: options.applyTimeout ?? 15 * minute,
    ...(options.reboot && { reboot: options.reboot }),
    windows: options.windows ?? [],
    dependsOn: options.dependsOn ?? [],
    rollbackOutsideWindows: options.rollbackOutsideWindows ?? true,
  }
}

export function shareOf(text: ShareText): Share {
  return typeof text === 'number' ? { count: text } : { percent: Number.parseFloat(text) }
}

export function aWave(
  name: string,
  nodes: ShareText | Readonly<Record<string, string>>,
  more: Partial<WavePolicy> = {},
): WavePolicy {
  const size = typeof nodes === 'object' ? { matchLabels: nodes } : shareOf(nodes)
  return { name, nodes: size, soak: 0, manual: false, ...more }
}

export function aGate(name: string, more: Partial<GatePolicy> = {}): GatePolicy {
  const check = { kind: 'nodeConditions', require: [], forbid: ['DiskPressure'] } as const
  return { name, timeout: 5 * minute, interval: minute / 2, check, ...more }
}

function memoryOf({ head = 'new', stable, since, rejected = [], history, wave, retried }: PoolOptions): Memory {
  const before = stable === undefined ? [] : [aRollout(stable, { result: 'Completed', startedAt: noon - 3 * hour })]
  const runs = since === undefined ? before : [aRollout(head, { startedAt: since }), ...before]
  const target = history?.[0]?.revision ?? (since === undefined ? stable : head)
  return {
    ...(target !== undefined && { target: aRef(target) }),
    ...(stable !== undefined && { stable: aRef(stable) }),
    ...(wave && { wave }),
    ...NO_MEMORY,
    ...(retried !== undefined && { observedControls: { retry: retried } }),
    rejected: rejected.map(aRef),
    history: history ?? runs,
  }
}

export function aRollout(
  content: string,
  {
    result = 'Running',
    startedAt = noon - hour,
  }: { readonly result?: HistoryEntry['result']; readonly startedAt?: Instant } = {},
): HistoryEntry {
  const ended = result === 'Running' ? {} : { endedAt: stamp(startedAt + minute) }
  return { ...aRef(content), startedAt: stamp(startedAt), ...ended, result }
}

/** Names of the nodes that are assigned something, in order. */
export function selected({ actions }: Decision): string[] {
  return actions.flatMap((action) => (action.kind === 'assign' ? [action.node] : []))
}

/** `a → new` */
export function assignments({ actions }: Decision): string[] {
  return actions.flatMap((action) => (action.kind === 'assign' ? [`${action.node} → ${action.digest}`] : []))
}

export function phases({ status }: Decision): Decision['status']['nodes']['byPhase'] {
  return status.nodes.byPhase
}

export function condition({ status }: Decision, type: PoolConditionType): PoolCondition {
  const found = status.conditions.find((candidate) => candidate.type === type)
  if (!found) throw new Error(`status has no condition "${type}"`)
  return found
}

/** `True Completed` of Ready, Reconciling and Stalled. */
export function verdict(decision: Decision): Record<PoolConditionType, string> {
  const told = (type: PoolConditionType) => `${condition(decision, type).status} ${condition(decision, type).reason}`
  return { Ready: told('Ready'), Reconciling: told('Reconciling'), Stalled: told('Stalled') }
}

/** What the next pass sees when the status was written, and nothing else happened. */
export function remembering(pool: PoolSnapshot, { status }: Decision): PoolSnapshot {
  return { ...pool, memory: status }
}
