import { FLEET_CONFIG_MAP } from '../../protocol/names.ts'
import { commitOf } from '../../protocol/revision-id.ts'
import type { FleetSnapshot } from '../../rollout/decide-fleet.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { NodePods } from '../../rollout/model/node-view.ts'
import { CEILING_NAME } from '../cache/ceiling-schema.ts'
import type { ClusterCache } from '../cache/cluster-cache.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import type { NodeList } from '../cache/node-list.ts'
import { factsFor } from '../cache/rendered-from.ts'
import type { Clock } from '../clock/clock.ts'
import type { Contact } from '../clock/contact.ts'
import { fleetControls } from '../controls/controls.ts'
import type { DrainWatch } from '../drain/drain-watch.ts'
import type { AssumedNodes } from '../execution/assumed-nodes.ts'
import type { UnkeptProofs } from '../execution/unkept-proofs.ts'
import type { CompiledFleet, RenderedConfig } from '../fleet/compiled-fleet.ts'
import type { PoolRenderer } from '../fleet/pool-renderer.ts'
import type { GateRunner } from '../gates/gate-runner.ts'
import type { OtherClusters } from '../other-clusters/other-clusters.ts'
import type { ProofWatch } from '../proof/proof-watch.ts'
import { commitsOf, knownTo } from '../revisions/commits-in-use.ts'
import type { AcceptedHead } from '../revisions/head-intake.ts'
import { allRejections, type Rejections } from '../revisions/rejections.ts'
import type { RevisionLibrary } from '../revisions/revision-library.ts'
import type { ClusterJournal } from '../status/cluster-journal.ts'
import type { WriteFailures } from '../writes/write-failures.ts'
import type { Members } from './assign-members.ts'
import type { NodeRoster } from './node-roster.ts'
import type { PoolSnapshots } from './pool-snapshots.ts'
import { unwrittenCompletions } from './unwritten-completions.ts'

/** Everything one pass decides upon. Lists are copies: what the watches tell meanwhile is for the next pass. */
export interface Gathered {
  readonly fleet: FleetSnapshot
  readonly members: Members
  readonly nodes: NodeList
  /** As the watch has them: an assignment that is under way writes its payloads itself. */
  readonly toRead: readonly ClusterNode[]
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
  readonly roster: NodeRoster
  readonly ports: { readonly clock: Clock }
  readonly contact: Pick<Contact, 'unbrokenSince' | 'watchedSince' | 'listedAt'>
  readonly assumed: Pick<AssumedNodes, 'applyTo'>
  readonly unkeptProofs: Pick<UnkeptProofs, 'applyTo'>
  readonly failures: Pick<WriteFailures, 'refusals'>
  readonly journal: Pick<ClusterJournal, 'viewOf' | 'confirmedOf'>
  readonly gates: Pick<GateRunner, 'answersFor'>
  readonly proofs: Pick<ProofWatch, 'podsOf'>
  readonly otherClusters: Pick<OtherClusters, 'follow' | 'awaited'>
}

/** @throws {KubeError} when a kept revision cannot be read now. */
export async function gather(
  { cluster, drains, rejections, library, renderer, snapshots, roster, gates, proofs, otherClusters, ...sources }: Sources,
  head: AcceptedHead,
): Promise<Gathered> {
  const now = sources.ports.clock.now()
  const kept = library.kept()
  const revisions = await revisionsInUse({ cluster, library, roster }, { head: head.fleet, kept })
  renderer.retain([...revisions.values()].flatMap((fleet) => [...fleet.pools.values()]))
  const cached = roster.list(cluster.nodes.all)
  const underDrain = roster.underDrain(cached)
  drains.follow(new Set(underDrain.map(({ name }) => name)))
  const nodes = sources.assumed.applyTo(sources.unkeptProofs.applyTo(cached), now)
  const members = roster.members(nodes, head.fleet)
  const pods = podsByPool(head.fleet, underDrain, drains)
  const steadySince = unbrokenSince(sources, now)
  const watchedSince = sources.contact.watchedSince(now)
  const listedAt = sources.contact.listedAt(sources.ports.clock)
  const ceiling = cluster.ceilings.get(CEILING_NAME)?.ceiling
  const refusals = sources.failures.refusals(now)
  const commit = commitOf(head.fleet.commit)
  otherClusters.follow(isAwaited(head.fleet, sources.journal) ? commit : undefined)
  snapshots.retain(head.fleet.pools)
  const pools = [...head.fleet.pools.values()].map((pool) => {
    const view = sources.journal.viewOf(pool.name)
    const parts = {
      pool,
      head: head.fleet,
      problem: head.problem,
      unread: head.unread,
      untrusted: head.untrusted,
      held: head.held,
      view,
      rejected: allRejections(view?.status, {
        noted: rejections.of(pool.name),
        head: { revision: head.fleet.commit, fingerprint: pool.fingerprint },
      }),
      nodes: members.byPool.get(pool.name) ?? [],
      pods: pods.get(pool.name) ?? NO_PODS,
      proofs: proofs.podsOf(pool.name, members.byPool.get(pool.name) ?? []),
      contested: members.contested.get(pool.name) ?? [],
      known: knownTo(view, { pool, kept, revisions }),
      kept,
      ceiling,
      steadySince,
      watchedSince,
      listedAt,
      refusals,
      gateAnswers: gates.answersFor(pool.name),
      awaitedClusters: otherClusters.awaited(pool.policy.dependsOnClusters ?? [], commit),
    }
    return snapshots.of(parts, { renderer, revisions })
  })
  const controlPlane = cluster.controlPlane.view(roster.ofControlPlane(nodes), (name) => nodes.get(name))
  const controls = fleetControls(cluster.fleet.get(FLEET_CONFIG_MAP)?.annotations)
  const strays = members.strays.map(({ view }) => view)
  const written = new Map([...head.fleet.pools.keys()].map((name) => [name, cluster.pools.get(name)?.status ?? {}]))
  const unwritten = unwrittenCompletions({ pools: head.fleet.pools, written, refusals })
  const confirmed = new Map([...head.fleet.pools.keys()].map((name) => [name, sources.journal.confirmedOf(name)]))
  const fleet = { pools, strays, policy: head.fleet.policy, controls, controlPlane, confirmed, unwritten }
  return { fleet, members, nodes, toRead: roster.toRead(cached), revisions }
}

/** Some pool is not there yet, and it or one that it depends on waits for another cluster. */
function isAwaited({ pools }: CompiledFleet, journal: Sources['journal']): boolean {
  const all = [...pools.values()]
  return (
    all.some(({ policy }) => policy.dependsOnClusters?.length) &&
    all.some(({ name, fingerprint }) => journal.viewOf(name)?.status.target?.fingerprint !== fingerprint)
  )
}

/** The later of two instants: since then the clock has run evenly, and what the cluster shows was heard of as it happened. */
export function unbrokenSince(
  { ports, contact }: { readonly ports: Sources['ports']; readonly contact: Pick<Contact, 'unbrokenSince'> },
  now: Instant,
): Instant | undefined {
  const [steady, inContact] = [ports.clock.steadySince?.(), contact.unbrokenSince(now)]
  return steady === undefined || inContact === undefined ? (steady ?? inContact) : Math.max(steady, inContact)
}

const NO_PODS: ReadonlyMap<string, NodePods> = new Map()

/** Of nodes under drain, as far as they are known. */
function podsByPool(
  fleet: CompiledFleet,
  underDrain: readonly ClusterNode[],
  drains: Sources['drains'],
): ReadonlyMap<string, ReadonlyMap<string, NodePods>> {
  const byPool = new Map([...fleet.pools.keys()].map((pool) => [pool, new Map<string, NodePods>()]))
  for (const { name, facts } of underDrain) {
    const owner = fleet.ownerOf(facts)
    if (owner.kind !== 'owned') continue
    const pods = drains.podsOf(name)
    if (pods) byPool.get(owner.pool)?.set(name, pods)
  }
  return byPool
}

/** What an action of a decision on `gathered` writes. */
export function renderedFor(
  { revisions }: Gathered,
  { pool, renderer }: { readonly pool: string; readonly renderer: PoolRenderer },
): (node: ClusterNode, revision: string) => RenderedConfig | undefined {
  return (node, revision) => {
    const compiled = revisions.get(revision)?.pools.get(pool)
    const rendered = compiled && renderer.render(compiled, node)
    if (rendered?.kind !== 'config' || compiled === undefined) return undefined
    if (!compiled.readsCapacity) return rendered
    const { cpu, memory } = factsFor(node, compiled)
    const capacity = { ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) }
    return { ...rendered, from: { fingerprint: compiled.fingerprint, ...capacity } }
  }
}

export async function revisionsInUse(
  { cluster, library, roster }: Pick<Sources, 'cluster' | 'library' | 'roster'>,
  { head, kept }: { readonly head: CompiledFleet; readonly kept: readonly string[] },
): Promise<ReadonlyMap<string, CompiledFleet>> {
  const fleets = new Map([[head.commit, head]])
  const named = new Set([...cluster.pools.items.values()].flatMap((view) => commitsOf(view, kept))).add(head.commit)
  const others = kept.filter((commit) => !named.has(commit))
  // Most often there are none: then no node is asked.
  const onNodes = others.length > 0 ? roster.commitsOnNodes(roster.list(cluster.nodes.all)) : named
  const commits = new Set([...named, ...others.filter((commit) => onNodes.has(commit))])
  library.retain(commits)
  for (const commit of commits) {
    const fleet = fleets.get(commit) ?? (await library.get(commit))
    if (fleet) fleets.set(commit, fleet)
  }
  return fleets
}
