import type { HistoryEntry } from '../../../src/protocol/node-pool.ts'
import type { Instant } from '../../../src/rollout/model/instant.ts'
import type { NodeView, PodView, ProofPod } from '../../../src/rollout/model/node-view.ts'
import { type Memory, NO_MEMORY, type NodeTarget, type PoolSnapshot, type Revision } from '../../../src/rollout/model/snapshot.ts'
import { hour, noon } from './instants.ts'
import { type PolicyOptions, policyOf } from './policies.ts'
import { aRef, aRevision, aRollout, wantedConfig } from './revisions.ts'

export interface PoolOptions extends PolicyOptions {
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
  /** Of nodes under drain, by name. */
  readonly pods?: Readonly<Record<string, readonly PodView[]>>
  /** Pods that prove nodes. */
  readonly proofs?: readonly ProofPod[]
  /** What the head wants of single nodes, when it is not what it wants of all. */
  readonly wants?: Readonly<Record<string, Partial<Extract<NodeTarget, { kind: 'config' }>> | { readonly problem: string }>>
  readonly disruption?: Extract<NodeTarget, { kind: 'config' }>['disruption']
  readonly gateAnswers?: PoolSnapshot['gateAnswers']
  readonly controls?: PoolSnapshot['controls']
  readonly repositoryProblem?: string
  readonly repositoryUnread?: true
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
    ...(options.repositoryUnread && { repositoryUnread: true }),
    ...(options.repositoryProblem !== undefined && { repositoryProblem: options.repositoryProblem }),
    ...(options.fleet && { fleet: options.fleet }),
  }
}

function podsOf(pods: NonNullable<PoolOptions['pods']>): NonNullable<PoolSnapshot['pods']> {
  return new Map(Object.entries(pods).map(([node, known]) => [node, { kind: 'known', pods: known }]))
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
