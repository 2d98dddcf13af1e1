import type { NodePoolSpec } from '../../repo/schema/node-pool.ts'

/** Where a spec has durations, read as milliseconds, and shares, read as objects. */
const DURATIONS = new Set(['soak', 'applyTimeout', 'agentTimeout', 'trial', 'timeout', 'interval', 'duration'])
const SHARES = new Set(['maxUnavailable', 'maxFailures', 'nodes'])

/** A pool's spec as people write it, for the NodePool object: `10m` instead of milliseconds, `20%` instead of an object. */
export function mirrorSpec({ rollout, ...spec }: NodePoolSpec): Readonly<Record<string, unknown>> {
  return { ...spec, ...(rollout && { rollout: written(rollout) }) }
}

function written(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => written(item))
  if (typeof value === 'number' && DURATIONS.has(key)) return writtenDuration(value)
  if (value === null || typeof value !== 'object') return value
  if (SHARES.has(key) && 'percent' in value) return `${value.percent}%`
  if (SHARES.has(key) && 'count' in value) return value.count
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, written(member, name)]))
}

const UNITS = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const

/** `1h30m`; 0 is `0`. */
function writtenDuration(milliseconds: number): string {
  let left = milliseconds
  const parts = UNITS.map(([unit, size]) => {
    const count = Math.floor(left / size)
    left -= count * size
    return count === 0 ? '' : `${count}${unit}`
  })
  return parts.join('') || '0'
}
