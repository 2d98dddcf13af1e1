import { atMost } from '../protocol/desired-config.ts'
import type { PlannedNode } from '../render/node-facts.ts'
import type { FleetPlan } from '../render/plan-fleet.ts'
import type { PoolPlan } from '../render/plan-pool.ts'
import type { FleetModel } from '../repo/model.ts'
import { formatLocation } from '../repo/problem.ts'
import { rolloutSettings } from '../repo/rollout-settings.ts'
import type { ControlPlaneView } from '../rollout/control-plane/control-plane-view.ts'
import { skewFacts } from '../rollout/control-plane/skew.ts'
import { waveMembership, wavesOf, withFirstNode } from '../rollout/exposure/waves.ts'
import type { GivenNode } from '../simulate/given-node.ts'
import { type CeilingContext, underCeiling } from './ceiling/ceiling-view.ts'
import { turnsText } from './control-plane/control-plane-order.ts'
import { downgradeProblem, skewProblem } from './control-plane/version-problems.ts'
import { nameList } from './paint.ts'
import { hasRunIn, type KnownPools } from './plan/known-pools.ts'
import type { RunningPool } from './plan/running-pool.ts'
import { whatRuns } from './plan/what-runs.ts'
import { type WindowView, windowView } from './plan/window-view.ts'

/** A plan as it is shown, in every format: what changes, and the waves in which it would come. */
export interface PlanView {
  readonly from: string
  readonly to: string
  readonly pools: readonly PoolPlanView[]
  /** How its rollout would go. */
  readonly estimate?: string
  readonly addedPools: readonly string[]
  readonly removedPools: readonly string[]
  readonly contested: readonly string[]
  readonly released: readonly string[]
  /** Why the controller would hold the commit until a person promotes it. */
  readonly held: readonly string[]
  /** Why only commits are compared; absent: the cluster said what its pools run. */
  readonly commitsOnly?: 'NoCluster' | 'NotReadable'
  /** Pools want kubelet versions, and nobody said what the API servers are. */
  readonly unknownServer: boolean
}

export interface PoolPlanView extends Omit<PoolPlan, 'problems'> {
  /** Absent: no cluster said it. */
  readonly runs?: RunningPool
  readonly waves: readonly WaveView[]
  /** When something may begin, where the pool has windows. */
  readonly window?: WindowView
  /** What becomes of the pods, where the change wants them drained. */
  readonly pods?: string
  /** How its nodes of the control plane come, where some change. */
  readonly controlPlane?: string
  /** In words: what some nodes would not survive, or their agents would refuse. */
  readonly warnings: readonly string[]
  /** Why a controller would not begin with it. */
  readonly refusals: readonly { readonly message: string; readonly remedy?: string | undefined; readonly where: string }[]
  readonly problems: readonly { readonly node: string; readonly message: string; readonly where: readonly string[] }[]
}

export interface WaveView {
  readonly name: string
  /** Seconds. */
  readonly soak: number
  readonly manual: boolean
  /** Names of those that must hold after it. */
  readonly gates: readonly string[]
  /** Those of its nodes that change. */
  readonly nodes: readonly string[]
  /** By simulation: seconds from the push until its first node, and from then until the next wave. */
  readonly begins?: number
  readonly lasts?: number
}

export interface PlanContext extends CeilingContext {
  readonly nodes: readonly GivenNode[]
  /** Undefined: not known. */
  readonly controlPlane: ControlPlaneView | undefined
  readonly known: KnownPools
  readonly from: string
  readonly to: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

export function viewPlan(plan: FleetPlan, context: PlanContext): PlanView {
  const { model, nodes, from, to, controlPlane, known } = context
  const byName = new Map(nodes.map((node) => [node.name, node]))
  const verdict = underCeiling(plan, context)
  const runsIn = whatRuns(context)
  return {
    ...{ from, to, addedPools: plan.addedPools, removedPools: plan.removedPools, released: plan.released },
    ...(typeof known === 'string' && { commitsOnly: known }),
    held: [...new Set([...plan.held, ...verdict.held])],
    contested: plan.contested.map(({ message }) => message),
    unknownServer:
      controlPlane === undefined && [...model.pools.values()].some(({ spec }) => spec.kubelet?.version !== undefined),
    pools: plan.pools.map((pool) => ({
      ...pool,
      warnings: warningsOf(pool),
      ...runsIn(pool),
      waves: wavesIn(pool, { model, byName }),
      ...windowOf(pool, context),
      ...podsUnder(pool, model),
      ...turnsOf(pool, context, byName),
      refusals: [...refusalsOf(pool, context, byName), ...[verdict.refusals.get(pool.pool) ?? []].flat()],
      problems: pool.problems.map(({ node, problem }) => ({
        node,
        message: problem.message,
        where: problem.where.map(formatLocation),
      })),
    })),
  }
}

export function hasChanges({ pools, addedPools, removedPools, released }: PlanView): boolean {
  return pools.some(({ touched }) => touched.length > 0) || [addedPools, removedPools, released].some((names) => names.length > 0)
}

/** What keeps the plan from being carried out on some node. */
export function hasErrors({ pools, contested }: PlanView): boolean {
  return contested.length > 0 || pools.some(({ problems, refusals }) => problems.length > 0 || refusals.length > 0)
}

type ByName = ReadonlyMap<string, PlannedNode>

function refusalsOf(
  { pool, nodes }: PoolPlan,
  { before, model, controlPlane, known }: PlanContext,
  byName: ByName,
): PoolPlanView['refusals'] {
  const document = model.pools.get(pool)
  if (!document) return []
  const hasRun = (name: string, fingerprint: string): boolean => hasRunIn(known, name, fingerprint)
  const change = { from: before, to: model, hasRun, nodes: nodes.flatMap((name) => byName.get(name) ?? []) }
  const skew = controlPlane === undefined ? [] : skewProblem(document, skewFacts(controlPlane))
  return [...skew, ...downgradeProblem(document, change)].map(({ message, remedy, at }) => ({
    message,
    remedy,
    where: formatLocation(at),
  }))
}

function warningsOf({ cgroupFailures }: PoolPlan): string[] {
  if (cgroupFailures.length === 0) return []
  return [
    `the kubelet does not start with cgroup v1, and the agents of ${nameList(cgroupFailures)} refuse the change: set failCgroupV1: false, or first boot them with systemd.unified_cgroup_hierarchy=1`,
  ]
}

function turnsOf(
  { touched }: PoolPlan,
  { nodes, controlPlane: view }: PlanContext,
  byName: ByName,
): Pick<PoolPlanView, 'controlPlane'> {
  const controlPlane = turnsText(
    touched.flatMap((name) => byName.get(name) ?? []),
    { nodes, view },
  )
  return controlPlane === undefined ? {} : { controlPlane }
}

function windowOf({ pool, touched }: PoolPlan, { model, now }: PlanContext): Pick<PoolPlanView, 'window'> {
  const settings = model.pools.get(pool)
  if (settings === undefined || touched.length === 0) return {}
  const window = windowView(rolloutSettings(model.fleet.spec, settings.spec).windows, now)
  return window === undefined ? {} : { window }
}

function podsUnder({ pool, disruption }: PoolPlan, { fleet, pools }: FleetModel): Pick<PoolPlanView, 'pods'> {
  const settings = pools.get(pool)
  if (settings === undefined || atMost(disruption, 'restart')) return {}
  const isNever = rolloutSettings(fleet.spec, settings.spec).drain.mode === 'Never'
  return { pods: isNever ? UNDRAINED : DRAINED }
}

const UNDRAINED = 'not drained, because the pool has drain: {mode: Never}; they keep running while the kubelet restarts'
const DRAINED = 'evicted first, as far as PodDisruptionBudgets allow; see docs/drain.md'

function wavesIn(plan: PoolPlan, { model, byName }: { model: FleetModel; byName: ReadonlyMap<string, PlannedNode> }): WaveView[] {
  const pool = model.pools.get(plan.pool)
  if (pool === undefined || plan.touched.length === 0) return []
  const settings = rolloutSettings(model.fleet.spec, pool.spec)
  const nodes = plan.nodes.flatMap((name) => byName.get(name) ?? [])
  const waves = withFirstNode(wavesOf(settings), { nodes })
  const waveOf = waveMembership(waves, { pool: plan.pool, nodes })
  return waves.map(({ name, soak, manual }, index) => ({
    ...{ name, soak: soak / 1000, manual },
    gates: settings.gates.filter(({ after }) => after === undefined || after.includes(name)).map((gate) => gate.name),
    nodes: plan.touched.filter((node) => waveOf.get(node) === index),
  }))
}
