import { CLEARED_CONTROLS } from '../../protocol/names.ts'
import { spentControls } from '../controls/spent-controls.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'

/** Which annotations the server refuses to clear, why, and what helps; undefined: none stands there. */
export function describeRefusedClear(pool: PoolSnapshot): string | undefined {
  if (pool.refusedClear === undefined) return undefined
  const keys = spentControls(pool).map(({ control }) => CLEARED_CONTROLS[control])
  if (keys.length === 0) return undefined
  const [annotation, stands] = keys.length === 1 ? ['annotation', 'it stands'] : ['annotations', 'they stand']
  const cleared = keys.map((key) => `${key}-`).join(' ')
  return (
    `the API server refuses to clear the ${annotation} ${keys.join(', ')}: ${pool.refusedClear}; the same request is ignored while ${stands}; ` +
    `correct what refuses it, such as a webhook or missing rights, or clear it: kubectl annotate nwp/${pool.name} ${cleared}`
  )
}
