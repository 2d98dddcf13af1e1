/** The end-to-end tests. Every run begins by tearing down what an earlier one left, and ends with a table and a line that counts. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { commandLine, numberOption } from '../command-line.ts'
import { buildBinaries } from './build/binaries.ts'
import { fillCache } from './build/fill-cache.ts'
import { missingPrerequisites } from './cluster/prerequisites.ts'
import { ownSlots } from './cluster/slot.ts'
import { abandon, teardownLeftovers } from './cluster/teardown.ts'
import { failureList, keepResults, resultTable } from './runner/results.ts'
import { runScenarios } from './runner/run-scenarios.ts'
import type { Scenario } from './scenario.ts'

const say = (line: string) => console.log(line)

interface Options {
  readonly lanes: number
  readonly keep: boolean
  readonly list?: boolean
  readonly teardown?: boolean
}

async function main(): Promise<number> {
  const command = commandLine('e2e', 'Scenarios on real nodes: all of them, or those that are named.', 'reboot signatures')
    .argument('[scenario...]')
    .addOption(numberOption('--lanes <count>', 'how many clusters may live at a time').default(2))
    .option('--keep', 'leave the cluster of the last scenario up', false)
    .option('--list', 'name the scenarios')
    .option('--teardown', 'only tear down what an earlier run left')
    .parse()
  const { args: named } = command
  const options = command.opts<Options>()
  const scenarios = await loadScenarios()
  if (options.list) return list(scenarios)
  const missing = missingPrerequisites('nodes')
  if (missing.length > 0) return complain(missing)
  for (const slot of await teardownLeftovers({ kept: true })) say(`torn down: what was left of cluster ${slot.number}`)
  if (options.teardown) return 0
  const unknown = named.filter((name) => !scenarios.some((scenario) => scenario.name === name))
  if (unknown.length > 0) return complain([`no scenario is called "${unknown.join('", "')}"; --list names them all`])
  await fillCache(say)
  const isChosen = ({ name, onRequest }: Scenario) => (named.length === 0 ? !onRequest : named.includes(name))
  const chosen = scenarios.filter(isChosen)
  for (const { name } of scenarios.filter(({ onRequest }) => onRequest && named.length === 0))
    say(`not run: ${name}, which has to be named: npm run e2e -- ${name}`)
  // Whoever needs one waits for it, and says why there is none.
  void buildBinaries(
    chosen.flatMap(({ builds = [] }) => builds),
    say,
  ).catch(() => undefined)
  const lanes = options.keep ? 1 : options.lanes
  if (!(lanes >= 1)) return complain([`--lanes ${options.lanes}: expected how many clusters may live at a time, such as 2`])
  const started = performance.now()
  const results = await runScenarios(chosen, { lanes, keep: options.keep, say })
  const took = (performance.now() - started) / 1000
  const failed = results.filter(({ passed }) => !passed).length
  say(`\n${resultTable(results)}\n\n${took.toFixed(0)} s in all; times: ${await keepResults(results)}\n${failureList(results)}`)
  say(`${results.length - failed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

/** In the order of their files' names. */
async function loadScenarios(): Promise<Scenario[]> {
  const dir = join(import.meta.dirname, 'scenarios')
  const files = (await readdir(dir)).filter((file) => file.endsWith('.ts')).sort()
  const modules = files.map((file): Promise<{ scenarios?: readonly Scenario[] }> => import(join(dir, file)))
  return (await Promise.all(modules)).flatMap(({ scenarios = [] }) => scenarios)
}

function list(scenarios: readonly Scenario[]): number {
  for (const { name } of scenarios) say(name)
  return 0
}

function complain(lines: readonly string[]): number {
  for (const line of lines) console.error(line)
  return 2
}

/** Whoever interrupts us still gets the machine back as it was. */
async function leave(why: string, code: number): Promise<never> {
  console.error(`${why}: tearing down`)
  for (const slot of ownSlots()) await abandon(slot).catch((error: Error) => console.error(error.message))
  process.exit(code)
}
process.once('SIGINT', () => leave('SIGINT', 130))
process.once('SIGTERM', () => leave('SIGTERM', 143))
process.once('SIGHUP', () => leave('SIGHUP', 129))
process.once('uncaughtException', (error) => leave(error.stack ?? error.message, 1))

// Not left to the event loop: connections that a failed scenario keeps open would hold the process.
process.exit(await main().catch((error: Error) => complain([error.message])))
