/**
 * `node bench/decide.ts`: how long it takes to decide about a large fleet: at rest, when a commit has just changed every node, and
 * in the last wave, when a tenth is taken at once. Figures are medians, in milliseconds
 * of this thread's CPU: other work on the machine does not count, though it slows memory down.
 */
import { decideFleet } from '../src/rollout/decide-fleet.ts'
import type { PoolSnapshot } from '../src/rollout/model/snapshot.ts'
import { minute, noon } from '../test/rollout/builders/instants.ts'
import { aNode } from '../test/rollout/builders/nodes.ts'
import { aWave } from '../test/rollout/builders/policies.ts'
import { aPool, type PoolOptions } from '../test/rollout/builders/pools.ts'

const POOLS = 5
const NODES = 15_000
const RUNS = 21

const waves = [aWave('canary', 1), aWave('early', '20%'), aWave('rest', '100%')]
const rollout: PoolOptions = { head: 'new', stable: 'older', waves, maxUnavailable: '10%' }

measure('at rest', fleet({ ...rollout, head: 'older' }))
measure('every node changes, canary', fleet(rollout))
measure('every node changes, last wave', fleet({ ...rollout, since: noon - minute, wave: { index: 3, count: 3, name: 'rest' } }))

function fleet(options: PoolOptions): PoolSnapshot[] {
  return Array.from({ length: POOLS }, (_, pool) => {
    const nodes = Array.from({ length: NODES / POOLS }, (_, index) =>
      aNode(`ip-10-${pool}-${index >> 8}-${index & 255}.compute.internal`)
        .on('older')
        .inZone(`zone-${index % 3}`),
    )
    return { ...aPool(options).with(...nodes.map((node) => ({ ...node }))), name: `pool-${pool}` }
  })
}

function cpuUsed(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

function measure(what: string, pools: readonly PoolSnapshot[]): void {
  let assigned = 0
  const times = Array.from({ length: RUNS }, () => {
    const start = cpuUsed()
    const decisions = decideFleet({ pools, policy: {}, controls: {} }, noon)
    const took = cpuUsed() - start
    assigned = [...decisions.values()].reduce((sum, { actions }) => sum + actions.length, 0)
    return took
  })
  const median = times.sort((a, b) => a - b)[RUNS >> 1] ?? 0
  console.log(`${NODES} nodes, ${POOLS} pools, ${what}: ${median.toFixed(1)} ms, ${assigned} nodes assigned`)
}
