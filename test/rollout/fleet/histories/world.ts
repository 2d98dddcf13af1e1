import type { Assessment } from '../../../../src/rollout/decide.ts'
import type { Decision } from '../../../../src/rollout/model/decision.ts'
import type { Instant } from '../../../../src/rollout/model/instant.ts'
import type { NodeView, ProofPod } from '../../../../src/rollout/model/node-view.ts'
import type { RolloutPolicy } from '../../../../src/rollout/model/policy.ts'
import { type GateAnswer, type Memory, NO_MEMORY, type PoolSnapshot } from '../../../../src/rollout/model/snapshot.ts'
import { hour, minute, noon } from '../../builders/instants.ts'
import { aNode, NodeDraft } from '../../builders/nodes.ts'
import { policyOf } from '../../builders/policies.ts'
import { aRollout } from '../../builders/revisions.ts'
import type { Content } from './contents.ts'
import type { FleetOptions } from './steps.ts'

export interface Commit {
  readonly revision: string
  readonly contents: ReadonlyMap<string, Content>
}

export interface SimNode {
  readonly view: NodeDraft
  readonly pool: string | undefined
  readonly isSilent: boolean
  readonly hasPods: boolean
  readonly isDown: boolean
  /** What it was assigned keeps it from being Ready, until it gets other content. */
  readonly isRuined: boolean
  /** When it was assigned what it has. */
  readonly wasSound: boolean
  readonly keepsPods: boolean
}

export const POOLS = ['a', 'b', 'c'] as const

/** What is known of a pool from outside: what the promises are checked against. */
interface Shown {
  /** Proven contents, the last one last. */
  completed: Content[]
  /** Completed, and the pool went back from it. */
  left: Set<Content>
  rejected: Set<Content>
  /** What the pool left last: known to work where the way back fails. */
  spare: Content | undefined
}

/** Pools with their nodes, agents, pods, Git and operators, as they are now. */
export class World {
  readonly options: FleetOptions
  readonly policies: readonly RolloutPolicy[]
  readonly last = new Map<string, Assessment>()
  now = noon
  commits: Commit[] = []
  nodes: SimNode[]
  before: SimNode[]
  readonly statuses = new Map<string, Memory>()
  readonly controls = new Map<string, PoolSnapshot['controls']>()
  fleetControls: { paused?: string; retry?: string } = {}
  steadySince: Instant | undefined
  watchedSince: Instant | undefined
  listedAt: Instant | undefined
  proofs = new Map<string, ProofPod>()
  readonly answers = new Map<string, readonly GateAnswer[]>()
  areGatesGood = true
  readonly records = new Map<string, Shown>()
  readonly wrong: string[] = []
  decisions: ReadonlyMap<string, Decision> = new Map()
  uids = 0

  constructor(options: FleetOptions) {
    this.options = options
    this.policies = options.pools.map(({ policy }) => policyOf({ drain: { mode: 'Auto' }, applyTimeout: 10 * minute, ...policy }))
    this.nodes = options.pools.flatMap(({ nodes }, index) => {
      const pool = POOLS[index] ?? ''
      return Array.from({ length: nodes }, (_, each) => ({
        view: new NodeDraft({
          ...aNode(`${pool}${each + 1}`)
            .on('first', { at: noon - 2 * hour, since: noon - hour, pool, revision: 'commit-0' })
            .withUid(`uid-${this.uids++}`)
            .booted(`boot-${this.uids++}`)
            .withPause(),
          ...(this.options.isControlPlane && { labels: { 'node-role.kubernetes.io/control-plane': '' } }),
        } as NodeView),
        pool,
        isSilent: false,
        hasPods: true,
        isDown: false,
        isRuined: false,
        wasSound: true,
        keepsPods: false,
      }))
    })
    this.before = this.nodes
    this.push('first')
    for (const name of this.names) {
      this.statuses.set(name, {
        ...NO_MEMORY,
        target: { revision: 'commit-0', fingerprint: 'of first' },
        stable: { revision: 'commit-0', fingerprint: 'of first' },
        history: [{ ...aRollout('first', { result: 'Completed', startedAt: noon - 3 * hour }), revision: 'commit-0' }],
      })
      this.records.set(name, { completed: ['first'], left: new Set(), rejected: new Set(), spare: undefined })
    }
  }

  get names(): readonly string[] {
    return this.options.pools.map((_, index) => POOLS[index] ?? '')
  }

  push(content: Content, only?: string): void {
    const before = this.commits.at(-1)
    const contents = new Map(
      this.names.map((name) => [name, only === undefined || name === only ? content : (before?.contents.get(name) ?? content)]),
    )
    this.commits.push({ revision: `commit-${this.commits.length}`, contents })
  }

  get head(): Commit {
    const head = this.commits.at(-1)
    if (!head) throw new Error('nothing was pushed')
    return head
  }
}
