import { own } from '../../protocol/own.ts'
import { type Draft, errorAt } from '../draft.ts'
import { formatLocation, type Problem } from '../problem.ts'

type Labels = Readonly<Record<string, string>>

/**
 * Two pools of which one selects all that the other does: no node could ever belong to the second alone.
 * Other overlaps depend on the nodes there are, and show when they do.
 */
export function checkSelectors({ documents }: Draft): Problem[] {
  const pools = [...documents.NodePool.values()]
  return pools.flatMap((pool, index) => {
    const other = pools
      .slice(0, index)
      .find(({ spec }) => overlaps(spec.nodeSelector.matchLabels, pool.spec.nodeSelector.matchLabels))
    if (!other) return []
    const where = formatLocation(other.source.where(['nodeSelector', 'matchLabels']))
    const message = `pool "${pool.name}" and pool "${other.name}" (${where}) select the same nodes`
    const remedy = 'give one of them a label that the nodes of the other do not have'
    return [errorAt(pool, ['nodeSelector', 'matchLabels'], { reason: 'OverlappingPools', message, remedy })]
  })
}

function overlaps(a: Labels, b: Labels): boolean {
  return isPartOf(a, b) || isPartOf(b, a)
}

function isPartOf(some: Labels, all: Labels): boolean {
  return Object.entries(some).every(([key, value]) => own(all, key) === value)
}
