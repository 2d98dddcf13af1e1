import { assessPool } from '../../../src/rollout/assess-pool.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import type { Damage } from './apps.ts'
import { contentOf, fingerprintOf } from './content.ts'
import type { Observed } from './controller.ts'

interface Broken {
  readonly damages: readonly Damage[]
  readonly outages: ReadonlyMap<string, number>
  /** So many rollouts of the pool have completed. */
  readonly epoch: number
}

/**
 * Pods that are missing through no fault of what is tried: for other reasons, through content that the pool has gone on from, or through
 * an unfinished commit that the open waves do not replace.
 */
export function blameless(
  { damages, outages, epoch }: Broken,
  { pool, observed }: { readonly pool: PoolSnapshot | undefined; readonly observed: Observed },
): ReadonlyMap<string, number> {
  const missing = new Map(outages)
  if (!pool) return missing
  const { target, stays } = tried(pool, observed)
  const isBlameless = ({ content, epoch: since }: Damage): boolean =>
    since < epoch || (stays && fingerprintOf(content) !== target)
  for (const [app, ofApp] of Map.groupBy(damages.filter(isBlameless), (damage) => damage.app))
    missing.set(app, (missing.get(app) ?? 0) + new Set(ofApp.map(({ node }) => node)).size)
  return missing
}

/** What is tried, and whether nodes outside the open waves have something else that has not completed. */
function tried(pool: PoolSnapshot, { at }: Observed): { readonly target: string; readonly stays: boolean } {
  const { members, open, rollout } = assessPool(pool, at)
  const target = rollout.target.fingerprint
  const completed = new Set([rollout.stable?.fingerprint, target, fingerprintOf('factory')])
  const isOther = (digest: string | undefined): boolean =>
    digest !== undefined && !completed.has(fingerprintOf(contentOf(digest)))
  const stays = members.some(
    ({ node: { assigned, status }, wave }) =>
      (wave === undefined || wave > open) && (isOther(assigned?.digest) || isOther(status?.active)),
  )
  return { target, stays }
}
