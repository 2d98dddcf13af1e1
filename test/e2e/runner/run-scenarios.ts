/** Run scenarios: those that share a cluster one after another, and several clusters at a time. */
import type { Scenario } from '../scenario.ts'
import type { ScenarioResult } from './results.ts'
import { runChain } from './run-chain.ts'

export interface RunnerOptions {
  /** How many clusters live at a time. A scenario waits more than it works, so two of them take little longer than one. */
  readonly lanes: number
  /** Leave the last cluster standing; with one lane it is known which that is. */
  readonly keep: boolean
  readonly say: (line: string) => void
}

/** Gives the results in the order of the scenarios, whatever the order was in which they ended. */
export async function runScenarios(scenarios: readonly Scenario[], options: RunnerOptions): Promise<ScenarioResult[]> {
  const chains = chainsOf(scenarios)
  const results = new Map<number, ScenarioResult[]>()
  const order = [...chains.entries()]
  // The longest first: what is long and begun last is waited for with all other lanes empty.
  if (options.lanes > 1) order.sort(([, one], [, other]) => workOf(other) - workOf(one))
  const queue = order.values()
  const lane = async () => {
    for (const [index, chain] of queue) {
      const keep = options.keep && index === chains.length - 1
      results.set(index, await runChain(chain, { keep, say: options.say }))
    }
  }
  await Promise.all(Array.from({ length: options.lanes }, lane))
  return chains.flatMap((_, index) => results.get(index) ?? [])
}

/** How much there is to do, roughly. */
function workOf(chain: readonly Scenario[]): number {
  return chain.reduce((sum, { nodes }) => sum + nodes.length, 0)
}

/** Scenarios of one group that follow each other are one chain. */
function chainsOf(scenarios: readonly Scenario[]): Scenario[][] {
  const chains: Scenario[][] = []
  for (const scenario of scenarios) {
    const last = chains.at(-1)
    if (scenario.group !== undefined && last?.at(-1)?.group === scenario.group) last.push(scenario)
    else chains.push([scenario])
  }
  return chains
}
