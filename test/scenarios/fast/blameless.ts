import { assessPool } from '../../../src/rollout/assess-pool.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import type { Damage } from './apps.ts'
import { fingerprintOf } from './content.ts'
import type { Observed } from './controller.ts'

interface Broken {
  readonly damages: readonly Damage[]
  readonly outages: ReadonlyMap<string, number>
  /** So many rollouts of the pool have completed. */
  readonly epoch: number
  /** Tools restore older assignments: what no node shows, nobody can know. */
  readonly isMeddled: boolean
}

/**
 * Pods that are missing through no fault of what is tried: for other reasons, through content that the pool has gone on from or that has
 * completed, or through an unfinished commit that the open waves do not replace, or of which nothing is remembered. Where every node has what is
 * tried, no gate protects one.
 */
export function blameless(
  { damages, outages, epoch, isMeddled }: Broken,
  { pool, observed }: { readonly pool: PoolSnapshot | undefined; readonly observed: Observed },
): ReadonlyMap<string, number> {
  const missing = new Map(outages)
  if (!pool) return missing
  const { target, stable, stays, isEverywhere } = tried(pool, observed)
  const shown = new Map(pool.nodes.map(({ name, assigned }) => [name, fingerprintOf(assigned?.digest ?? '')]))
  const isHidden = ({ node, content }: Damage): boolean => isMeddled && shown.get(node) !== fingerprintOf(content)
  const isTriedStill = (content: string): boolean =>
    fingerprintOf(content) === target && pool.nodes.some((node) => shows(node).includes(fingerprintOf(content)))
  const isForgotten = (damage: Damage): boolean => damage.isForgotten === true && !isTriedStill(damage.content)
  const isBlameless = (damage: Damage): boolean => isHidden(damage) || isForgotten(damage) || isBlamelessIfShown(damage)
  const isBlamelessIfShown = ({ content, epoch: since }: Damage): boolean =>
    since < epoch || isEverywhere || fingerprintOf(content) === stable || (stays && fingerprintOf(content) !== target)
  for (const [app, ofApp] of Map.groupBy(damages.filter(isBlameless), (damage) => damage.app))
    missing.set(app, (missing.get(app) ?? 0) + new Set(ofApp.map(({ node }) => node)).size)
  return missing
}

/** What a node is to have, and what it has. */
function shows({ assigned, status }: NodeView): readonly string[] {
  return [assigned?.digest, status?.active].map((digest = '') => fingerprintOf(digest))
}

interface Tried {
  readonly target: string
  /** It may break something on nodes that get it later. */
  readonly stable: string | undefined
  /** Nodes outside the open waves have something else that has not completed. */
  readonly stays: boolean
  readonly isEverywhere: boolean
}

function tried(pool: PoolSnapshot, { at }: Observed): Tried {
  const { members, open, rollout } = assessPool(pool, at)
  const target = rollout.target.fingerprint
  const stable = rollout.stable?.fingerprint
  const completed = new Set([stable, target, fingerprintOf('factory')])
  const isOther = (digest: string | undefined): boolean => digest !== undefined && !completed.has(fingerprintOf(digest))
  const stays = members.some(
    ({ node: { assigned, status }, wave }) =>
      (wave === undefined || wave > open) && (isOther(assigned?.digest) || isOther(status?.active)),
  )
  const isEverywhere = members.every(({ wave, changes, isExposed }) => wave === undefined || !changes || isExposed)
  return { target, stable, stays, isEverywhere }
}
