import { POOL_CONTROLS } from '../../protocol/names.ts'
import { type ControlView, fleetAnnotations, poolNamed } from './view.ts'

/** What is asked of a paused pool begins later: who is in a hurry has to know. Empty while neither the pool nor the fleet is paused. */
export async function whilePaused(view: ControlView, pool: string): Promise<string> {
  const { controls } = poolNamed(view.pools, pool)
  if (controls?.paused !== undefined) return `; the pool is paused, no node starts before: nodewave resume ${pool}`
  const fleet = (await fleetAnnotations(view))?.[POOL_CONTROLS.paused]
  return fleet === undefined ? '' : '; the fleet is paused, no node starts before: nodewave resume --all'
}
