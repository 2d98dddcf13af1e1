import type { PoolContext } from '../model/pool-state.ts'

/** What ends the pause that `describePause` tells of: a pool's own comes first. */
export function resumeCommand({ pool }: PoolContext): string {
  return `nodewave resume ${pool.controls.paused === undefined ? '--all' : pool.name}`
}

/** The operator wants no further eviction: nodes that are being drained are uncordoned. */
export function pauseStopsDrains({ controls, fleet }: PoolContext['pool']): boolean {
  const own = controls.paused !== undefined && controls.stopDrains === true
  return own || (fleet?.paused !== undefined && fleet.stopDrains === true)
}

/** `paused by ada at 2026-11-21T08:00:00Z: storm`; undefined when nobody paused the pool, nor the whole fleet. */
export function describePause({ pool, rollout }: PoolContext): string | undefined {
  const own = pool.controls.paused
  const reason = own ?? pool.fleet?.paused
  if (reason === undefined) return undefined
  const [what, act] = own === undefined ? (['the whole fleet is paused', 'PauseFleet'] as const) : (['paused', 'Pause'] as const)
  const record = rollout.memory.controls.find((told) => told.action === act)
  const by = record?.who === undefined ? '' : ` by ${record.who} at ${record.at}`
  return `${what}${by}${reason === '' ? '' : `: ${reason}`}`
}
