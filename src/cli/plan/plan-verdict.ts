import { greatest } from '../../protocol/desired-config.ts'
import { changeCount } from '../plan-text.ts'
import type { PlanView } from '../plan-view.ts'

/** Whether the change can be rolled out, in a line. */
export interface PlanVerdict {
  readonly passes: boolean
  readonly text: string
}

/** Pure. */
export function planVerdict({ pools, contested, held, estimate }: PlanView): PlanVerdict {
  const errors = [
    ...pools.flatMap(({ problems, refusals }) => [...refusals, ...problems].map(({ message }) => message)),
    ...contested,
  ]
  const [first, ...others] = errors
  if (first !== undefined) return { passes: false, text: others.length === 0 ? first : `${first} (and ${others.length} more)` }
  const touched = pools.flatMap((pool) => pool.touched).length
  if (touched === 0) return { passes: true, text: 'no node changes' }
  const all = pools.flatMap((pool) => pool.nodes).length
  const changes = `${changeCount(touched, all)}, greatest disruption: ${greatest(pools.map((pool) => pool.disruption))}`
  const promotion = held.length > 0 ? ['needs promotion'] : []
  const actions = pools.flatMap(({ pool, touched: nodes, runs }) =>
    runs?.needs && nodes.length > 0 ? [`needs nodewave ${runs.needs} ${pool}`] : [],
  )
  return { passes: true, text: [changes, ...promotion, ...actions, ...(estimate === undefined ? [] : [estimate])].join('; ') }
}
