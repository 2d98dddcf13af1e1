/**
 * `node bench/waves.ts [--nodes N]`: how long a commit takes to go through a pool, 10% of the nodes at a time, when agents apply at once;
 * over HTTP, on the embedded API server, in this process. Then how many requests that took.
 */
import { systemClock } from '../src/controller/clock/system-clock.ts'
import { aFleet } from '../test/controller/a-fleet.ts'
import { aStage, assignedRevision, NODES, POOLS, readyOf } from '../test/controller/stage.ts'
import { print, readOptions } from './support/report.ts'

const options = readOptions()
const { nodes: COUNT = 100 } = options
const rollout = 'maxUnavailable: 10%'

await using stage = await aStage()
await stage.addNodes(COUNT)
stage.startAgents()
stage.startController({ clock: systemClock })
await roll('a', 2)
const before = stage.requests.length
const all = stage.server.requests.count()
const { first, last } = await roll('b', 4)
const own = stage.requests.slice(before)
const patches = own.filter((line) => line.startsWith('PATCH /api/v1/nodes/')).length
const named = `${COUNT} nodes, 10% at a time`
print(
  [
    { name: `${named}: push → first assigned`, value: first, unit: 'ms' },
    { name: `${named}: push → Completed`, value: last, unit: 'ms' },
    { name: 'patches of Nodes by the controller', value: patches, unit: 'requests' },
    { name: 'other requests of it', value: own.length - patches, unit: 'requests' },
    { name: 'requests of all', value: stage.server.requests.count() - all, unit: 'requests' },
  ],
  options,
)

async function roll(digit: string, v: number): Promise<{ readonly first: number; readonly last: number }> {
  const start = performance.now()
  const since = () => Math.round(performance.now() - start)
  stage.push(digit, aFleet({ rollout, v }))
  const revision = digit.repeat(40)
  const first = stage.until(NODES, (nodes) => [...nodes.values()].some((node) => assignedRevision(node) === revision)).then(since)
  const completed = stage.until(POOLS, (pools) => {
    const pool = pools.get('workers')
    const { target } = (pool?.status ?? {}) as { target?: { revision: string } }
    return target?.revision === revision && readyOf(pool) === 'True Completed'
  })
  return { last: await completed.then(since), first: await first }
}
