import { Command, Option } from 'commander'
import { DEFAULT_TIMES } from '../simulate/agent-times.ts'
import { nodeObject } from '../simulate/node-objects.ts'
import { simulateFleet } from '../simulate/simulate-fleet.ts'
import type { Simulation } from '../simulate/simulation.ts'
import { readChange, withChangeOptions } from './change.ts'
import type { CliIo } from './cli-io.ts'
import { withClusterOptions } from './cluster.ts'
import { asDocument } from './documents.ts'
import { nodesOfChange } from './fake-nodes.ts'
import { foldAt, paintFor } from './paint.ts'
import { progressOn } from './progress.ts'
import { assumptionsOf } from './simulate/assumptions.ts'
import { checkNames, DAY, factors, instant, type SimulateOptions, time, timeSpan, timesOf } from './simulate/options.ts'
import { readPods } from './simulate/read-pods.ts'
import { serverVersionsOf } from './simulate/server-versions.ts'
import { momentText, simulationText } from './simulate/simulation-text.ts'

const FORMATS = {
  text: (simulation: Simulation, io: CliIo) => simulationText(simulation, { paint: paintFor(io), columns: foldAt(io) }),
  json: (simulation: Simulation) => asDocument(withDates(simulation), 'json'),
  yaml: (simulation: Simulation) => asDocument(withDates(simulation), 'yaml'),
} as const

const INSTANTS: ReadonlySet<string> = new Set(['at', 'startsAt', 'endsAt'])

/** Instants as RFC 3339. */
function withDates(simulation: Simulation): unknown {
  const stamped = (key: string, value: unknown): unknown =>
    INSTANTS.has(key) && typeof value === 'number' ? new Date(value).toISOString() : value
  return JSON.parse(JSON.stringify(simulation, stamped))
}

export function simulateCommand(io: CliIo): Command {
  const { byDisruption, download, podStop, podStart } = DEFAULT_TIMES
  return withChangeOptions(withClusterOptions(new Command('simulate')))
    .description(
      'simulate the rollout of a change: the real controller in virtual time; exit code 0: it completes, 1: it does not, 2: an error',
    )
    .option(
      '--pods <file>',
      'file of pods and PodDisruptionBudgets, as `kubectl get pods,pdb -A -o json` prints them. Default: no pods',
    )
    .option('--at <time>', 'time at which the commit arrives, such as 2026-11-21T22:00:00Z. Default: now', instant)
    .addOption(new Option('--within <duration>', 'longest time to simulate').argParser(timeSpan).default(30 * DAY, '720h'))
    .addOption(new Option('--fail <node...>', 'nodes on which the change fails').default([], 'none'))
    .addOption(
      new Option('--slow <node=times...>', 'nodes that need more time, with a factor')
        .argParser(factors)
        .default(new Map(), 'none'),
    )
    .addOption(time('--restart-time', 'time that an agent needs to restart the kubelet', byDisruption.restart))
    .addOption(time('--download-time', 'time to download another kubelet version', download))
    .addOption(time('--reboot-time', 'time of a reboot', byDisruption.reboot))
    .addOption(time('--pod-stop-time', 'time until an evicted pod has ended', podStop))
    .addOption(time('--pod-start-time', 'time until its replacement serves on another node', podStart))
    .addOption(new Option('-o, --output <format>', 'output format').choices(Object.keys(FORMATS)).default('text'))
    .addHelpText(
      'after',
      '\nExample:\n  $ nodewave simulate fleet/ --from main --to HEAD --fake-nodes 40 --at 2026-11-21T22:00:00Z',
    )
    .action((path: string, options: SimulateOptions) => run(io, path, options))
}

async function run(io: CliIo, path: string, options: SimulateOptions): Promise<void> {
  const [from, to] = [options.from, options.to]
  const change = await readChange(io, { path, options })
  const { model } = change.to
  const { nodes, source } = await nodesOfChange(io, { model, options })
  checkNames(options, nodes)
  const startsAt = options.at ?? io.now()
  const times = timesOf(options)
  const serverVersions = await serverVersionsOf(io, { options: source, model, nodes })
  const progress = progressOn(io)
  const began = io.now()
  const simulated = await simulateFleet({
    from: change.from?.snapshot,
    to: change.to.snapshot,
    load: change.load,
    cluster: options.cluster,
    pods: await readPods(io, options.pods),
    nodes: nodes.map((node) => nodeObject(node, startsAt)),
    ...{ startsAt, within: options.within, times, serverVersions, fails: new Set(options.fail) },
    goOn: (moment) => {
      progress.tell(momentText(moment, { startsAt, elapsed: io.now() - began }))
      return true
    },
  })
  progress.end()
  const simulation: Simulation = {
    from,
    to: to ?? 'working tree',
    ...simulated,
    assumptions: assumptionsOf({ times, from, simulated, serverVersions }),
  }
  io.stdout(FORMATS[options.output](simulation, io))
  io.exit(simulation.outcome === 'Completed' ? 0 : 1)
}
