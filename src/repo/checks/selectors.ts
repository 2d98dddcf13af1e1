import { isWithin } from '../../protocol/node-selector.ts'
import { type Draft, errorAt } from '../draft.ts'
import { formatLocation, type Problem } from '../problem.ts'
import type { Selector } from '../schema/common.ts'
import type { NodePoolSpec } from '../schema/node-pool.ts'
import type { Path } from '../source.ts'

/**
 * Two pools of which one selects all that the other does: no node could ever belong to the second alone.
 * Other overlaps depend on the nodes there are, and show when they do.
 */
export function checkSelectors({ documents }: Draft): Problem[] {
  const pools = [...documents.NodePool.values()]
  return pools.flatMap((pool, index) => {
    const other = pools.slice(0, index).find(({ spec }) => overlaps(spec.nodeSelector, pool.spec.nodeSelector))
    if (!other) return []
    const where = formatLocation(other.source.where(selectorPath(other.spec)))
    const message = `pool "${pool.name}" and pool "${other.name}" (${where}) select the same nodes`
    const remedy = 'give one of them a label that the nodes of the other do not have'
    return [errorAt(pool, selectorPath(pool.spec), { reason: 'OverlappingPools', message, remedy })]
  })
}

function overlaps(a: Selector, b: Selector): boolean {
  return isWithin(a, b) || isWithin(b, a)
}

function selectorPath({ nodeSelector: { matchExpressions } }: NodePoolSpec): Path {
  return matchExpressions === undefined ? ['nodeSelector', 'matchLabels'] : ['nodeSelector']
}
