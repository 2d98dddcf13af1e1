import { FLEET_CONFIG_MAP } from '../../protocol/names.ts'
import type { FleetSnapshot } from '../../rollout/decide-fleet.ts'
import { isUnderDrain } from '../../rollout/drain/cordon.ts'
import type { NodePods } from '../../rollout/model/node-view.ts'
import type { ClusterCache } from '../cache/cluster-cache.ts'
import type { NodePoolView } from '../cache/node-pool-view.ts'
import type { ClusterNode } from '../cache/node-view.ts'
import { fleetControls } from '../controls/controls.ts'
import type { DrainWatch } from '../drain/drain-watch.ts'
import type { GateRunner } from '../gates/gate-runner.ts'
import type { ControllerPorts } from '../ports.ts'
import { commitsOf } from '../revisions/commits-in-use.ts'
import type { CompiledFleet, RenderedConfig } from '../revisions/compiled-fleet.ts'
import type { HeadState } from '../revisions/head-intake.ts'
import type { Rejections } from '../revisions/rejections.ts'
import type { RevisionLibrary } from '../revisions/revision-library.ts'
import type { Members } from './assign-members.ts'
import { assignMembers } from './assign-members.ts'
import type { PoolRenderer } from './pool-renderer.ts'
import type { PoolSnapshots } from './pool-snapshots.ts'

/** Everything one pass decides upon. The maps are copies: what the watches tell meanwhile is for the next pass. */
export interface Gathered {
  readonly fleet: FleetSnapshot
  readonly members: Members
  readonly nodes: ReadonlyMap<string, ClusterNode>
  /** Commits that some pool may be brought to. */
  readonly revisions: ReadonlyMap<string, CompiledFleet>
}

export interface Sources {
  readonly cluster: ClusterCache
  readonly drains: Pick<DrainWatch, 'follow' | 'podsOf'>
  readonly rejections: Pick<Rejections, 'of'>
  readonly library: RevisionLibrary
  readonly renderer: PoolRenderer
  readonly snapshots: PoolSnapshots
  readonly ports: Pick<ControllerPorts, 'clock'>
  readonly gates: Pick<GateRunner, 'answersFor'>
}

export type AcceptedHead = HeadState & { readonly fleet: CompiledFleet }

/** @throws {KubeError} when a kept revision cannot be read now. */
export async function gather(
  { cluster, drains, rejections, library, renderer, snapshots, ports, gates }: Sources,
  head: AcceptedHead,
): Promise<Gathered> {
  const kept = library.kept()
  const revisions = await revisionsInUse({ cluster, library }, { head: head.fleet, kept })
  renderer.retain([...revisions.values()].flatMap((fleet) => [...fleet.pools.values()]))
  const nodes = new Map(cluster.nodes.items)
  followDrains({ cluster, drains })
  const members = assignMembers(head.fleet, nodes.values())
  const steadySince = ports.clock.steadySince?.()
  const pools = [...head.fleet.pools.values()].map((pool) => {
    const view = cluster.pools.get(pool.name)
    const sources = {
      pool,
      head: head.fleet,
      problem: head.problem,
      held: head.held,
      view,
      ...(isForgetful(view) && { rejected: rejections.of(pool.name) }),
      nodes: members.byPool.get(pool.name) ?? [],
      pods: podsOf(members.byPool.get(pool.name) ?? [], drains),
      contested: members.contested.get(pool.name) ?? [],
      known: commitsOf(view, kept).flatMap((commit) => revisions.get(commit) ?? []),
      kept,
      steadySince,
      gateAnswers: gates.answersFor(pool.name),
    }
    return snapshots.of(sources, { renderer, revisions })
  })
  const controlPlane = cluster.controlPlane.view(nodes.values())
  const controls = fleetControls(cluster.fleet.get(FLEET_CONFIG_MAP)?.annotations)
  const strays = members.strays.map(({ view }) => view)
  return { fleet: { pools, strays, policy: head.fleet.policy, controls, controlPlane }, members, nodes, revisions }
}

/** Made a moment ago, perhaps in the place of one that somebody deleted. */
function isForgetful(view: NodePoolView | undefined): boolean {
  return view?.status.rejected === undefined
}

/** Whose pods are to be known. */
export function followDrains({ cluster, drains }: Pick<Sources, 'cluster' | 'drains'>): void {
  const underDrain = new Set<string>()
  for (const { name, view } of cluster.nodes.items.values()) if (isUnderDrain(view)) underDrain.add(name)
  drains.follow(underDrain)
}

/** Of those that are looked at. */
function podsOf(nodes: readonly ClusterNode[], drains: Sources['drains']): ReadonlyMap<string, NodePods> {
  return new Map(
    nodes.flatMap(({ name }) => {
      const pods = drains.podsOf(name)
      return pods ? [[name, pods] as const] : []
    }),
  )
}

/** What an action of a decision on `gathered` writes. */
export function renderedFor(
  { revisions }: Gathered,
  { pool, renderer }: { readonly pool: string; readonly renderer: PoolRenderer },
): (node: ClusterNode, revision: string) => RenderedConfig | undefined {
  return (node, revision) => {
    const compiled = revisions.get(revision)?.pools.get(pool)
    const rendered = compiled && renderer.render(compiled, node)
    return rendered?.kind === 'config' ? rendered : undefined
  }
}

async function revisionsInUse(
  { cluster, library }: Pick<Sources, 'cluster' | 'library'>,
  { head, kept }: { readonly head: CompiledFleet; readonly kept: readonly string[] },
): Promise<ReadonlyMap<string, CompiledFleet>> {
  const fleets = new Map([[head.commit, head]])
  const running = runningCommits(cluster.nodes.items.values())
  const named = [...cluster.pools.items.values()].flatMap((view) => commitsOf(view, kept))
  const commits = new Set([...named, head.commit, ...kept.filter((commit) => running.has(commit))])
  library.retain(commits)
  for (const commit of commits) {
    const fleet = fleets.get(commit) ?? (await library.get(commit))
    if (fleet) fleets.set(commit, fleet)
  }
  return fleets
}

/** What nodes run now says how much a change disturbs them; most often that is a commit in use anyway. */
function runningCommits(nodes: Iterable<ClusterNode>): ReadonlySet<string> {
  const commits = new Set<string>()
  for (const { current } of nodes) if (current?.REVISION !== undefined) commits.add(current.REVISION)
  return commits
}
