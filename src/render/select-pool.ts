import { selectsLabels } from '../protocol/node-selector.ts'
import type { Doc, FleetModel } from '../repo/model.ts'
import type { Selector } from '../repo/schema/common.ts'
import type { NodePoolSpec } from '../repo/schema/node-pool.ts'
import type { NodeFacts } from './node-facts.ts'
import { problemAt, type RenderProblem } from './render-problem.ts'

/** Which pool a node belongs to. A node that two pools claim belongs to neither until one lets go of it. */
export type PoolOwnership =
  | { readonly kind: 'owned'; readonly pool: string }
  | { readonly kind: 'contested'; readonly pools: readonly string[]; readonly problem: RenderProblem }
  | { readonly kind: 'unowned' }

const UNOWNED: PoolOwnership = { kind: 'unowned' }

export function selectPool(pools: FleetModel['pools'], node: Pick<NodeFacts, 'name' | 'labels'>): PoolOwnership {
  const claims: Doc<NodePoolSpec>[] = []
  for (const pool of pools.values()) if (selects(pool.spec.nodeSelector, node.labels)) claims.push(pool)
  const [first, ...others] = claims
  if (first === undefined) return UNOWNED
  return others.length === 0 ? { kind: 'owned', pool: first.name } : contested(claims, node.name)
}

/** As Kubernetes matches labels. */
export function selects(selector: Selector, labels: Readonly<Record<string, string>>): boolean {
  return selectsLabels(selector, labels)
}

function contested(claims: readonly Doc<NodePoolSpec>[], node: string): PoolOwnership {
  const pools = claims.map((pool) => pool.name).sort()
  const message = `node "${node}" is claimed by the pools ${pools.map((pool) => `"${pool}"`).join(' and ')}; make their nodeSelectors exclude each other`
  return { kind: 'contested', pools, problem: problemAt(message, ...claims.map((doc) => ({ doc, path: ['nodeSelector'] }))) }
}
