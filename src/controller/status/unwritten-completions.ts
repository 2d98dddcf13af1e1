import type { NodePoolStatus } from '../../protocol/node-pool.ts'
import type { RolloutPolicy } from '../../rollout/model/policy.ts'
import { isProven } from '../../rollout/model/remembered-revision.ts'
import { dependenciesOf } from '../../rollout/target/dependencies.ts'

type Target = Pick<NodePoolStatus, 'target' | 'stable' | 'history'>

export interface DecidedFleet {
  readonly pools: ReadonlyMap<string, { readonly policy: Pick<RolloutPolicy, 'dependsOn'> }>
  readonly decisions: ReadonlyMap<string, { readonly status: Target }>
  /** What stands in the cluster. */
  readonly written: { get(pool: string): { readonly status: Partial<Target> } | undefined }
}

/**
 * Whether a pool begins with a commit that a pool before it has completed by a decision alone. Until that is written, its nodes may turn out
 * to be others than the decision has seen.
 */
export function awaitsCompletion(pool: string, { pools, decisions, written }: DecidedFleet): boolean {
  const decided = decisions.get(pool)?.status
  const { target } = decided ?? {}
  if (!decided || !target || isProven(decided, target)) return false
  if (target.fingerprint === written.get(pool)?.status.target?.fingerprint) return false
  return dependenciesOf(pool, pools).some((name) => {
    const { stable } = decisions.get(name)?.status ?? {}
    return stable !== undefined && stable.fingerprint !== written.get(name)?.status.stable?.fingerprint
  })
}
