import { allowedBy, type Ceiling, selects } from '../model/ceiling.ts'
import { type Rollout, returnsFromFailure } from '../model/rollout.ts'
import { resolveShare } from '../model/share.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'

/** The pool leaves a commit for content that it completed before: because that failed, or because a person said so. */
export function goesBack(pool: Pick<PoolSnapshot, 'head'>, rollout: Pick<Rollout, 'proven' | 'memory'>): boolean {
  return (rollout.proven && rollout.memory.rollback !== undefined) || returnsFromFailure(pool, rollout)
}

/**
 * The policy of the newest commit counts also for the way back from it. Where that asks for more than a Ceiling allows, the Ceiling's limit
 * takes its place: a pool must not be held at content that is bad because the commit that brought it is bad in other ways, too.
 */
export function withinCeiling(pool: PoolSnapshot): PoolSnapshot {
  const { ceiling, policy, nodes } = pool
  const rules = ceiling?.rules.filter((rule) => nodes.some((node) => selects(rule, node))) ?? []
  const limits = rules.flatMap(({ maxUnavailable }) => (maxUnavailable ? [allowedBy(maxUnavailable, nodes.length)] : []))
  const most = Math.min(...limits)
  return resolveShare(policy.maxUnavailable, nodes.length) <= most
    ? pool
    : { ...pool, policy: { ...policy, maxUnavailable: { count: most } } }
}

/** Whatever the policy says, nothing is allowed under a Ceiling that cannot be read. */
export function isReadable(ceiling: Ceiling): boolean {
  return ceiling.unreadable === undefined
}
