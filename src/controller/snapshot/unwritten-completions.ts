import type { NodePoolStatus } from '../../protocol/node-pool.ts'
import { hasCompleted } from '../../rollout/target/dependencies.ts'
import { poolKey, type Refusal } from '../writes/write-failures.ts'

export interface WrittenFleet {
  readonly pools: ReadonlyMap<string, { readonly fingerprint: string }>
  /** Statuses as they stand in the cluster. */
  readonly written: ReadonlyMap<string, Partial<NodePoolStatus>>
  readonly refusals: readonly Refusal[]
}

/**
 * Pools of which the cluster does not say that they have completed the newest commit, each with the reason. A pool may remember that before
 * it is written: until then its nodes may turn out to be others than the decision has seen.
 */
export function unwrittenCompletions({ pools, written, refusals }: WrittenFleet): ReadonlyMap<string, string> {
  const refused = new Map(refusals.map(({ object, message }) => [object, message]))
  const unwritten = [...pools].filter(([name, head]) => !hasCompleted({ head }, written.get(name) ?? {}))
  return new Map(
    unwritten.map(([name]) => {
      const why = refused.get(poolKey(name))
      return [name, why === undefined ? 'whose completion of it is not written yet' : `whose status cannot be written: ${why}`]
    }),
  )
}
