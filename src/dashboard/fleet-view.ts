import { byText } from '../protocol/by-text.ts'
import type { GateStatus, NodePhase, NodePoolStatus, PoolReason } from '../protocol/node-pool.ts'

/** The fleet as a page shows it: small enough to be sent whole to whoever opens the page. */
export interface FleetView {
  readonly pools: readonly PoolView[]
}

export interface PoolView {
  readonly name: string
  readonly ready: 'True' | 'False' | 'Unknown'
  readonly reason: PoolReason | ''
  readonly message: string
  /** What holds it up: its own pause, or that of the fleet. */
  readonly paused: string
  readonly target: CommitView | null
  readonly stable: CommitView | null
  /** The newest commit, where the pool waits with it. */
  readonly next: CommitView | null
  /** When something may begin: `opens …`; empty: at any time. */
  readonly window: string
  /** When windows are open, from yesterday on. RFC 3339. */
  readonly windows: readonly WindowSpan[]
  /** Nodes at the target, of all. */
  readonly current: number
  readonly total: number
  readonly failed: NodePoolStatus['failed']
  readonly gates: readonly Pick<GateStatus, 'name' | 'wave' | 'state' | 'since'>[]
  readonly history: readonly RolloutView[]
  readonly waves: readonly WaveView[]
}

export interface WindowSpan {
  readonly from: string
  readonly to: string
}

export interface CommitView {
  readonly revision: string
  readonly subject: string
  readonly author: string
}

export interface RolloutView extends CommitView {
  readonly startedAt: string
  readonly endedAt: string
  readonly result: string
}

/** Nodes of a wave, and at the same index the phase of each. */
export interface WaveView {
  readonly name: string
  readonly state: 'Done' | 'Open' | 'Later'
  readonly nodes: readonly string[]
  readonly phases: readonly NodePhase[]
}

/** A pool as the controller concludes about it. */
export interface PoolConclusion {
  readonly name: string
  readonly status: Partial<NodePoolStatus>
  /** The newest commit, where the pool waits with it. */
  readonly waiting?: CommitView | undefined
  readonly window?: string
  readonly windows?: readonly WindowSpan[]
  /** Names of its waves, in order. */
  readonly waves: readonly string[]
  readonly members: readonly {
    readonly name: string
    readonly phase: NodePhase
    /** Index of its wave; absent: no wave counts it. */
    readonly wave?: number | undefined
  }[]
}

/** Pure, and the same for equal conclusions. */
export function fleetView(pools: Iterable<PoolConclusion>): FleetView {
  return { pools: [...pools].map(poolView).sort(byText(({ name }) => name)) }
}

/** A record of an older one may be kept for what was so before it. */
function ofNewestRollout(gates: readonly GateStatus[]): readonly GateStatus[] {
  const newest = gates.at(-1)
  return gates.filter(({ rollout, revision }) => rollout === newest?.rollout && revision === newest.revision)
}

function poolView(pool: PoolConclusion): PoolView {
  const { target, stable, nodes, observedControls = {}, failed = [], gates = [], history = [], conditions = [] } = pool.status
  const ready = conditions.find(({ type }) => type === 'Ready')
  return {
    name: pool.name,
    ready: ready?.status ?? 'Unknown',
    reason: ready?.reason ?? '',
    message: ready?.message ?? '',
    paused: observedControls.paused === undefined ? (observedControls.fleetPaused === undefined ? '' : 'Fleet') : 'Pool',
    target: target ? commitView(target) : null,
    stable: stable ? commitView(stable) : null,
    next: pool.waiting ? commitView(pool.waiting) : null,
    window: pool.window ?? '',
    windows: pool.windows ?? [],
    current: nodes?.current ?? 0,
    total: nodes?.total ?? 0,
    failed,
    gates: ofNewestRollout(gates).map(({ name, wave, state, since }) => ({ name, wave, state, since })),
    history: history.map((entry) => ({
      ...commitView(entry),
      startedAt: entry.startedAt,
      endedAt: entry.endedAt ?? '',
      result: entry.result,
    })),
    waves: wavesOf(pool),
  }
}

export function commitView({
  revision,
  subject = '',
  author = '',
}: Pick<CommitView, 'revision'> & Partial<CommitView>): CommitView {
  return { revision: revision.slice(0, 12), subject, author }
}

/** Nodes that no wave counts, such as new ones, come last. Between rollouts that is all of them. */
const OTHERS = 'others'
const ALL = 'all nodes'

function wavesOf({ status, waves, members }: PoolConclusion): WaveView[] {
  const byWave = Map.groupBy(members, ({ wave }) => wave ?? waves.length)
  const open = status.wave?.index
  return [...waves, OTHERS].flatMap((name, index) => {
    const own = byWave.get(index) ?? []
    if (own.length === 0) return []
    return [
      {
        name: own.length === members.length && name === OTHERS ? ALL : name,
        state: stateOf(index + 1, open),
        nodes: own.map((node) => node.name),
        phases: own.map((node) => node.phase),
      },
    ]
  })
}

/** @param open the number of the wave that was opened last; undefined: no rollout is under way */
function stateOf(number: number, open: number | undefined): WaveView['state'] {
  if (open === undefined || number < open) return 'Done'
  return number === open ? 'Open' : 'Later'
}
