/**
 * `node bench/render-and-decide.ts [--nodes N]`: what the controller thinks about a large fleet in five pools of the example, from the
 * caches that its watches fill to its decisions; nothing is sent anywhere. Medians.
 * All changed: a commit that nobody has seen before changes every node. Nothing changes: a pass over a fleet at rest. One node: the same
 * after one Node changed.
 */
import type { Decision } from '../src/rollout/model/decision.ts'
import { exampleCommit, POOL_LABELS } from './support/example-fleet.ts'
import { median, print, readOptions, timed } from './support/report.ts'
import { compile, SettledFleet } from './support/settled-fleet.ts'

const RUNS = 9
const options = readOptions()
const count = options.nodes ?? 15_000

const stable = compile(exampleCommit(0))
const settled = new SettledFleet({ count, stable })

const none: number[] = []
const one: number[] = []
const all: number[] = []
const compiling: number[] = []
for (let run = 0; run < RUNS; run++) {
  await settled.decide(stable)
  none.push(await timed(() => settled.decide(stable)))
  settled.beat({ index: run, heartbeat: run + 1 })
  one.push(await timed(() => settled.decide(stable)))
  const start = performance.now()
  const fleet = compile(exampleCommit(1 + run))
  compiling.push(performance.now() - start)
  all.push(await timed(async () => mustTake(await settled.decide(fleet))))
}
print(
  [
    { name: `render and decide, ${count} nodes, all change`, value: median(all), unit: 'ms', aim: 300 },
    { name: `render and decide, ${count} nodes, nothing changes`, value: median(none), unit: 'ms', aim: 20 },
    { name: `render and decide, ${count} nodes, one node changed`, value: median(one), unit: 'ms', aim: 20 },
    { name: 'load and check a commit of which one file changed', value: median(compiling), unit: 'ms' },
  ],
  options,
)

function mustTake(decisions: ReadonlyMap<string, Decision>): void {
  for (const pool of Object.keys(POOL_LABELS))
    if (!decisions.get(pool)?.actions.length) throw new Error(`measure a change: no node of "${pool}" would be taken`)
}
