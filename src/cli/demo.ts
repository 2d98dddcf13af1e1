import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { LEGEND } from '../demo/fleet-picture.ts'
import { interruption } from '../demo/interruption.ts'
import { playScenes, secondsSince } from '../demo/play-scenes.ts'
import { type Stage, withStage } from '../demo/stage.ts'
import type { CliIo } from './cli-io.ts'
import { jsonText } from './output/json-text.ts'

interface DemoOptions {
  readonly keep?: true
  readonly output: 'text' | 'json'
  readonly nodes: number
}

const HOME = join(dirname(import.meta.dirname), '..')

export function demoCommand(io: CliIo): Command {
  return new Command('demo')
    .description('run the whole product on simulated nodes: a real Git server, the real controller, the real agent on every node')
    .option('--keep', 'keep everything running at the end, until Ctrl-C')
    .option('--nodes <count>', 'how many nodes to simulate', parseNodes, 40)
    .addOption(
      new Option('-o, --output <format>', 'json: also print the result of every scene, in the last line')
        .choices(['text', 'json'])
        .default('text'),
    )
    .addHelpText('after', '\nExample:\n  $ nodewave demo --keep')
    .action((options: DemoOptions) => runDemo(io, options))
}

async function runDemo(io: CliIo, options: DemoOptions): Promise<void> {
  using interrupted = interruption()
  const { signal } = interrupted
  const started = io.now()
  const result = await withStage({ home: HOME, nodes: options.nodes, io, signal }, async (stage) => {
    io.stdout(introduction(stage))
    const played = await playScenes(stage, io)
    const seconds = secondsSince(started, io)
    const succeeded = played.filter(({ ok }) => ok).length
    io.stdout(`\n${succeeded} of ${played.length} scenes succeeded, in ${seconds} s.\n`)
    if (options.keep && !signal.aborted) await keepUp(stage, io)
    return { scenes: played, seconds }
  })
  if (options.output === 'json') io.stdout(jsonText(result, 0))
  io.exit(result.scenes.every(({ ok }) => ok) ? 0 : 2)
}

function introduction({ machines, kubeconfig, repoUrl, dashboardUrl }: Stage): string {
  const kubectl = `kubectl --kubeconfig ${kubeconfig}`
  return [
    `${machines.length} simulated nodes in three zones, each with the real agent; the real`,
    `controller; the embedded API server; Git at ${repoUrl}.`,
    `Soaks are shortened to a second. In a browser: ${dashboardUrl}`,
    'While it runs, in another terminal:',
    '',
    `  ${kubectl} get nodepools`,
    `  ${kubectl} get nodes -L nodewave.io/pool`,
    `  ${kubectl} describe nodepool workers`,
    `  ${kubectl} get events --sort-by=.lastTimestamp`,
    '',
    LEGEND,
    '',
  ].join('\n')
}

async function keepUp({ git, kubeconfig, signal }: Stage, io: CliIo): Promise<void> {
  io.stdout(
    `\nEverything keeps running. Push your own commits from\n${git.folder},\nor look around: export KUBECONFIG=${kubeconfig}\nCtrl-C stops it.\n`,
  )
  const forever = setInterval(() => {}, 2 ** 30)
  await once(signal, 'abort')
  clearInterval(forever)
}

function parseNodes(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 10 || count > 500)
    throw new InvalidArgumentError('expected a whole number from 10 to 500')
  return count
}
