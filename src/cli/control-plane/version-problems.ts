import type { PlannedNode } from '../../render/node-facts.ts'
import { poolFingerprint } from '../../render/pool-fingerprint.ts'
import type { Doc, FleetModel } from '../../repo/model.ts'
import type { Problem } from '../../repo/problem.ts'
import { rolloutSettings } from '../../repo/rollout-settings.ts'
import type { NodePoolSpec } from '../../repo/schema/node-pool.ts'
import { goesDown, skewBreach } from '../../rollout/control-plane/skew.ts'
import type { SkewFacts } from '../../rollout/model/fleet-facts.ts'
import { placeOf } from '../read-fleet.ts'

/** A pool that wants a kubelet which some API server does not take: a controller would not begin with it. */
export function skewProblem(pool: Doc<NodePoolSpec>, facts: SkewFacts): Problem[] {
  const version = pool.spec.kubelet?.version
  const breach = version === undefined ? undefined : skewBreach(version, facts)
  return breach ? [atVersion(pool, `pool "${pool.name}": ${breach.message}`)] : []
}

export interface VersionChange {
  readonly from: FleetModel | undefined
  readonly to: FleetModel
  /** Of the pool afterwards. */
  readonly nodes: readonly PlannedNode[]
  /** Whether a pool has run this content before, as far as anybody remembers. */
  readonly hasRun: (pool: string, fingerprint: string) => boolean
}

/** A pool whose kubelets would go back over a minor without consent, to what it has not run before. */
export function downgradeProblem(pool: Doc<NodePoolSpec>, { from, to, nodes, hasRun }: VersionChange): Problem[] {
  const version = pool.spec.kubelet?.version
  const before = from?.pools.get(pool.name)?.spec.kubelet?.version
  const newest = nodes.map(({ kubeletVersion }) => before ?? kubeletVersion).find((running) => goesDown(running, version))
  if (newest === undefined || rolloutSettings(to.fleet.spec, pool.spec).allowDowngrade) return []
  if (hasRun(pool.name, poolFingerprint(to, pool.name))) return []
  const change = `${newest.replace(/^v/, '')} → ${version}`
  const remedy = 'to allow it, set rollout.allowDowngrade: true; a revert to content that the pool ran before is allowed'
  return [{ ...atVersion(pool, `pool "${pool.name}": kubelet ${change} goes back by a minor version`), remedy }]
}

function atVersion(pool: Doc<NodePoolSpec>, message: string): Problem {
  return { severity: 'error', reason: 'VersionSkew', at: placeOf(pool.source.where(['kubelet', 'version'])), message }
}
