import type { Invariant } from '../invariants.ts'
import { disturbs } from './budget.ts'

/** What withers is well when the next node follows. A node that is down already, cordoned or at work costs no place of the budget. */
export const fewExposed: Invariant = {
  claim: 'content that takes nodes down is given to no more nodes than may be unavailable at once, and may fail, since it came',
  holds(assignment, world) {
    const { POOL = '', REVISION = '' } = assignment.desired
    const content = world.contentOf(POOL, REVISION)
    const pool = world.pools.find(({ name }) => name === POOL)
    const exposed = world.exposed.get(POOL)
    if (!pool || !content || (content.outcome !== 'crash' && content.outcome !== 'cuts') || exposed?.content !== content.name)
      return true
    if (disturbs(assignment, world)) exposed.nodes.add(assignment.node)
    return exposed.nodes.size <= pool.maxUnavailable + (pool.maxFailures ?? 0)
  },
}
