import { FLEET_CONFIG_MAP } from '../../protocol/names.ts'
import { partsOf, shortRevision } from '../../protocol/revision-id.ts'
import { type BlastStep, blastReasons, measureBlast } from '../../render/blast-radius.ts'
import { looseningReason, type PolicyChange, type PolicySide } from '../../rollout/ceilings/loosening-reason.ts'
import { denotes, isProven } from '../../rollout/model/remembered-revision.ts'
import { NO_MEMORY } from '../../rollout/model/snapshot.ts'
import { CEILING_NAME } from '../cache/ceiling-schema.ts'
import type { ClusterCache } from '../cache/cluster-cache.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import { fleetControls } from '../controls/controls.ts'
import type { CompiledFleet, CompiledPool, RenderedConfig } from '../fleet/compiled-fleet.ts'
import type { PoolRenderer } from '../fleet/pool-renderer.ts'

/** Decides whether a valid commit is taken at once, or only when a person has said that it is meant. */
export interface CommitGuard {
  /** @returns what the commit would do, and how to let it pass; undefined: nothing that has to be asked */
  objection(to: CompiledFleet, from: CompiledFleet | undefined): string | undefined
  /** A person said so. */
  isPromoted(commit: string): boolean
}

export interface GuardSources {
  readonly cluster: Pick<ClusterCache, 'nodes' | 'pools' | 'fleet' | 'ceilings'>
  readonly renderer: PoolRenderer
}

export function commitGuard(sources: GuardSources): CommitGuard {
  const { cluster } = sources
  return {
    objection(to, from) {
      const before = from ? from.pools.keys() : managedPools(cluster)
      const steps = [...cluster.nodes.items.values()].flatMap((node) => stepOf(node, { to, from, sources }))
      const blast = measureBlast(steps, { before: new Set(before), after: new Set(to.pools.keys()) })
      // As the limits of the Fleet, it begins with the second commit: the first one brings the pools that it would wait in.
      const ceiling = from && cluster.ceilings.get(CEILING_NAME)
      const limits = [from?.blastRadius, ceiling?.blastRadius].flatMap((limit) => blastReasons(blast, limit))
      const loosened = from && ceiling && looseningReason({ ...blast, ...policiesOf(from, to) })
      const reasons = [...new Set([...limits, ...(loosened === undefined ? [] : [loosened])])]
      if (reasons.length === 0) return undefined
      const commit = shortRevision(to.commit, 12)
      return `commit "${commit}" needs promotion: ${reasons.join('; ')}; if this is intended: nodewave promote --all --revision ${commit}`
    },
    isPromoted(commit) {
      const { promoted } = fleetControls(cluster.fleet.get(FLEET_CONFIG_MAP)?.annotations)
      if (promoted === undefined) return false
      // Whoever promoted a commit has not seen what its Secrets hold since.
      return denotes(promoted, { revision: commit }) && partsOf(promoted).contents === partsOf(commit).contents
    },
  }
}

function policiesOf(from: CompiledFleet, to: CompiledFleet): Pick<PolicyChange, 'before' | 'after' | 'placeOf'> {
  return { before: policySide(from), after: policySide(to), placeOf: (field, pool) => to.placeOf?.(field, pool) }
}

function policySide({ pools, policy, blastRadius, byHand }: CompiledFleet): PolicySide {
  const policies = new Map([...pools.values()].map((pool) => [pool.name, { ...pool.policy, disruption: pool.disruption }]))
  return { fleet: { ...policy, blastRadius, byHand }, pools: policies }
}

/** Where no commit is known that was accepted before, the objects in the cluster still tell which pools there were. */
function managedPools({ pools }: GuardSources['cluster']): string[] {
  return [...pools.items.values()].filter(({ managed, deleting }) => managed && !deleting).map(({ name }) => name)
}

interface Sides {
  readonly to: CompiledFleet
  readonly from: CompiledFleet | undefined
  readonly sources: GuardSources
}

function stepOf(node: ClusterNode, { to, from, sources }: Sides): BlastStep[] {
  const poolBefore = from ? ownerIn(from, node)?.name : node.view.assigned?.pool
  const [before, after] = [from && ownerIn(from, node), ownerIn(to, node)]
  if (poolBefore === undefined && after === undefined) return []
  return [
    {
      poolBefore,
      poolAfter: after?.name,
      before: rendered(before, { node, sources }),
      after: rendered(after, { node, sources }),
      returns: after !== undefined && after.name === poolBefore && hasRun(after, sources),
    },
  ]
}

function ownerIn(fleet: CompiledFleet, node: ClusterNode): CompiledPool | undefined {
  const owner = fleet.ownerOf(node.facts)
  return owner.kind === 'owned' ? fleet.pools.get(owner.pool) : undefined
}

function rendered(
  pool: CompiledPool | undefined,
  { node, sources }: { readonly node: ClusterNode; readonly sources: GuardSources },
): RenderedConfig | undefined {
  const result = pool && sources.renderer.render(pool, node)
  return result?.kind === 'config' ? result : undefined
}

/** The pool has completed this content: a revert that people need now is not held up. */
function hasRun({ name, fingerprint }: CompiledPool, { cluster }: GuardSources): boolean {
  const status = cluster.pools.get(name)?.status
  return status !== undefined && isProven({ ...NO_MEMORY, ...status }, { fingerprint })
}
