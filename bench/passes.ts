/**
 * `node bench/passes.ts [--nodes N]`: what a decision costs within a rollout, with what the controller remembers of the last one: a tenth
 * of the nodes of one pool is at work at a time, and a hundred of them are done between two passes. CPU of this thread, in milliseconds.
 */
import { Decider } from '../src/controller/decider.ts'
import type { Decision } from '../src/rollout/model/decision.ts'
import type { NodeView } from '../src/rollout/model/node-view.ts'
import type { PoolSnapshot } from '../src/rollout/model/snapshot.ts'
import { minute, noon } from '../test/rollout/builders/instants.ts'
import { aNode } from '../test/rollout/builders/nodes.ts'
import { aWave } from '../test/rollout/builders/policies.ts'
import { aPool } from '../test/rollout/builders/pools.ts'
import { cpuUsed, print, readOptions } from './support/report.ts'

/** Nodes whose agents answer between two passes. */
const ANSWERS = 100
const options = readOptions()
const count = options.nodes ?? 5_000

const waves = [aWave('canary', 1), aWave('early', '20%'), aWave('rest', '100%')]
const names = Array.from({ length: count }, (_, index) => `ip-10-${index >> 8}-${index & 255}.compute.internal`)
const nodes = names.map(
  (name, index) =>
    ({
      ...aNode(name)
        .on('older')
        .inZone(`zone-${index % 3}`),
    }) as NodeView,
)
let pool: PoolSnapshot = aPool({ head: 'new', stable: 'older', waves, maxUnavailable: '10%' }).with(
  ...nodes.map((node) => aNode(node.name)),
)
pool = { ...pool, nodes }
const decider = new Decider()
const waiting = new Map<string, NodeView>()
let [now, used, passes, done] = [noon, 0, 0, false]

while (!done) {
  const start = cpuUsed()
  const { decisions } = decider.decide({ pools: [pool], policy: {}, controls: {} }, now)
  used += cpuUsed() - start
  passes += 1
  now += minute / 60
  const decision = decisions.get(pool.name)
  if (!decision) throw new Error('the pool was not decided upon')
  pool = after(pool, decision)
  done = waiting.size === 0 && decision.status.conditions[0]?.status === 'True'
}
print(
  [
    { name: `decisions of a rollout, ${count} nodes: CPU a pass`, value: used / passes, unit: 'ms' },
    { name: 'passes', value: passes, unit: 'times' },
  ],
  options,
)

/** What was assigned is so, and some of those that were assigned before have done it. */
function after(before: PoolSnapshot, { actions, status }: Decision): PoolSnapshot {
  const changed = new Map<string, NodeView>()
  for (const [name, node] of [...waiting].slice(0, ANSWERS)) {
    waiting.delete(name)
    changed.set(name, applied(node))
  }
  const known = new Map(before.nodes.map((node) => [node.name, node]))
  for (const action of actions) {
    const node = action.kind === 'assign' ? known.get(action.node) : undefined
    if (action.kind !== 'assign' || !node) continue
    const { digest, revision, grant, at } = action
    const assigned = { ...node, assigned: { digest, revision, grant, at, pool: before.name } }
    waiting.set(node.name, assigned)
    changed.set(node.name, assigned)
  }
  return { ...before, memory: status, nodes: before.nodes.map((node) => changed.get(node.name) ?? node) }
}

function applied(node: NodeView): NodeView {
  const { digest = '', at = now } = node.assigned ?? {}
  const stamps = { since: new Date(now).toISOString(), assignedAt: new Date(at).toISOString() }
  return { ...node, status: { phase: 'Applied', digest, assigned: digest, active: digest, ...stamps } }
}
