/**
 * `node bench/decide.ts [--nodes N]`: how long it takes to decide about a large fleet: at rest, when a commit has just changed every node, and
 * in the last wave, when a tenth is taken at once. Figures are medians of 21, in milliseconds of this thread's CPU.
 */
import { decideFleet } from '../src/rollout/decide-fleet.ts'
import type { PoolSnapshot } from '../src/rollout/model/snapshot.ts'
import { minute, noon } from '../test/rollout/builders/instants.ts'
import { aNode } from '../test/rollout/builders/nodes.ts'
import { aWave } from '../test/rollout/builders/policies.ts'
import { aPool, type PoolOptions } from '../test/rollout/builders/pools.ts'
import { cpuUsed, type Figure, median, print, readOptions } from './support/report.ts'

const POOLS = 5
const RUNS = 21
const options = readOptions()
const count = options.nodes ?? 15_000

const waves = [aWave('canary', 1), aWave('early', '20%'), aWave('rest', '100%')]
const rollout: PoolOptions = { head: 'new', stable: 'older', waves, maxUnavailable: '10%' }

const lastWave: PoolOptions = { ...rollout, since: noon - minute, wave: { index: 3, count: 3, name: 'rest' } }
print(
  [
    figure('nothing to do', fleet({ ...rollout, head: 'older' })),
    { ...figure('a commit changes every node, canary', fleet(rollout)), aim: 45 },
    { ...figure('the same, last wave', fleet(lastWave)), aim: 68 },
  ],
  options,
)

function fleet(options: PoolOptions): PoolSnapshot[] {
  return Array.from({ length: POOLS }, (_, pool) => {
    const nodes = Array.from({ length: count / POOLS }, (_, index) =>
      aNode(`ip-10-${pool}-${index >> 8}-${index & 255}.compute.internal`)
        .on('older')
        .inZone(`zone-${index % 3}`),
    )
    return { ...aPool(options).with(...nodes.map((node) => ({ ...node }))), name: `pool-${pool}` }
  })
}

function figure(what: string, pools: readonly PoolSnapshot[]): Figure {
  const times = Array.from({ length: RUNS }, () => {
    const start = cpuUsed()
    decideFleet({ pools, policy: {}, controls: {} }, noon)
    return cpuUsed() - start
  })
  return { name: `decide, ${count} nodes in ${POOLS} pools: ${what}`, value: median(times), unit: 'ms' }
}
