// @ts-check

/** @import { FleetView, PoolView } from '../fleet-view.ts' */
/** @import { ViewChanges, PoolChange } from '../view-changes.ts' */

/**
 * @param {FleetView} fleet
 * @param {ViewChanges} changes
 * @returns {FleetView}
 */
export function withChanges(fleet, { pools, changed, gone }) {
  const whole = new Map(pools.map((pool) => [pool.name, pool]))
  const parts = new Map(changed.map((pool) => [pool.name, pool]))
  const kept = fleet.pools.filter(({ name }) => !gone.includes(name) && !whole.has(name))
  const next = kept.map((pool) => withChange(pool, parts.get(pool.name)))
  return { pools: [...next, ...pools].sort((a, b) => (a.name < b.name ? -1 : 1)) }
}

/**
 * @param {PoolView} pool
 * @param {PoolChange | undefined} change
 * @returns {PoolView}
 */
function withChange(pool, change) {
  if (!change) return pool
  const waves = pool.waves.map(({ nodes, phases }, index) => {
    const { name = '', state = 'Done', changed = [] } = change.waves[index] ?? {}
    const next = [...phases]
    for (const [node, phase] of changed) next[node] = phase
    return { name, state, nodes, phases: next }
  })
  return { ...change, waves }
}

/**
 * `12 Current, 3 Applying`, the most frequent first.
 * @param {readonly string[]} phases
 */
export function counted(phases) {
  /** @type {Map<string, number>} */
  const counts = new Map()
  for (const phase of phases) counts.set(phase, (counts.get(phase) ?? 0) + 1)
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([phase, count]) => `${count} ${phase}`)
    .join(', ')
}
