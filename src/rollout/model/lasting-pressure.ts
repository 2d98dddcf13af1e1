import type { FailedNode } from '../../protocol/node-pool.ts'
import type { NodeView, Pressure } from './node-view.ts'

/**
 * The pressure under which a node failed in its soak, for as long as that lasts: the node shows when it came under pressure, and the pool
 * remembers that it counted. Undefined: there is none.
 */
export function lastingPressure({ name, assigned, pressures }: NodeView, failed: readonly FailedNode[]): Pressure | undefined {
  if (assigned === undefined || pressures === undefined) return undefined
  const { at = Number.NEGATIVE_INFINITY } = assigned
  const reasons = failed.filter(({ node }) => node === name).map(({ reason }) => reason)
  return pressures.find(({ type, since }) => since >= at && reasons.includes(type))
}
