import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { buildRepository, labelCommand } from '../import/build-repository.ts'
import type { PoolDescription } from '../import/describe-pool.ts'
import type { CliIo } from './cli-io.ts'
import { withClusterOptions } from './cluster.ts'
import { asDocument } from './documents.ts'
import { type FoundChange, findChanges } from './import/find-changes.ts'
import { readSubjects, type SubjectSource } from './import/read-subjects.ts'
import { writeRepository } from './import/write-repository.ts'
import { counted, paintFor, tableLines } from './paint.ts'
import { progressOn } from './progress.ts'
import { type JudgedFleet, judgeFleet, problemLines } from './read-fleet.ts'

interface ImportOptions extends SubjectSource {
  readonly force: boolean
  readonly output: keyof typeof FORMATS
}

/** What was written, and what came of it. */
interface ImportView {
  readonly folder: string
  readonly files: readonly string[]
  readonly pools: readonly PoolDescription[]
  /** Without an inventory, version, flags and configuration stay what they are. */
  readonly withoutInventory: readonly string[]
  readonly changes: readonly FoundChange[]
  readonly judged: JudgedFleet
}

const FORMATS = {
  text: (view: ImportView, io: CliIo) => toText(view, io),
  json: (view: ImportView) => asDocument(toData(view), 'json'),
  yaml: (view: ImportView) => asDocument(toData(view), 'yaml'),
} as const

const HOST = new Option(
  '--host <path>',
  'what "nodewave agent import" printed on a host, or a folder of such. Repeat the option for several',
)
  .argParser((path: string, earlier: readonly string[]) => [...earlier, path])
  .default([], 'none')

export function importCommand(io: CliIo): Command {
  return withClusterOptions(new Command('import'))
    .description('write a fleet repository of what nodes run, such that its first rollout changes nothing; changes no node')
    .argument('[path]', 'folder of the new repository', '.')
    .addOption(HOST)
    .option(
      '--nodes <file>',
      'file of nodes, as `kubectl get nodes -o json` prints them, or "-" for stdin. Default: those of the cluster',
    )
    .option('--no-configz', 'do not ask kubelets, through the API server, for the configuration that they run with')
    .option('--force', 'write into a folder that is not empty; files of the same name are written over', false)
    .addOption(new Option('-o, --output <format>', 'output format').choices(Object.keys(FORMATS)).default('text'))
    .addHelpText(
      'after',
      '\nExample:\n  $ nodewave import my-fleet --host hosts/\n\nEach file in hosts/ is what `nodewave agent import` printed on one host.',
    )
    .action(async (path: string, { force, output, ...source }: ImportOptions) => {
      const progress = progressOn(io)
      const { subjects, warnings } = await readSubjects(io, source, progress).finally(progress.end)
      if (subjects.length === 0)
        throw new Error('no nodes to import: the cluster has none; name a file with --nodes, or another cluster')
      const { files, pools } = buildRepository(subjects)
      await writeRepository(resolve(io.cwd, path), files, { force })
      const judged = await judgeFleet(io, { path })
      const changes = judged.model === undefined ? [] : findChanges(judged.model, { subjects, pools })
      const withoutInventory = subjects.filter(({ inventory }) => inventory === undefined).map(({ node }) => node.name)
      for (const warning of warnings) io.stderr(`warning: ${warning}\n`)
      const view = { folder: path, files: Object.keys(files).sort(), pools, withoutInventory, changes, judged }
      io.stdout(FORMATS[output](view, io))
      io.exit(judged.model === undefined ? 2 : changes.length > 0 ? 1 : 0)
    })
}

function toText({ folder, files, pools, withoutInventory, changes, judged }: ImportView, io: CliIo): string {
  const rows = pools.map(({ name, nodes, version }) => [name, String(nodes.length), version ?? 'not managed'])
  const remarks = pools.flatMap((pool) => pool.remarks).length
  const said = [
    `wrote ${counted(files.length, 'file')} to "${folder}"\n\n${tableLines([['POOL', 'NODES', 'KUBELET'], ...rows]).join('\n')}`,
    ...(judged.problems.length + judged.renderProblems.length === 0 ? [] : problemLines(judged, paintFor(io))),
    ...changes.map(({ node, what }) => `the agent on "${node}" would change: ${what}`),
    ...(withoutInventory.length === 0 ? [] : [notAsked(withoutInventory)]),
    ...(remarks === 0 ? [] : [`${counted(remarks, 'comment')} in the files: what was left as it is, why, and what to do`]),
    `next:\n${nextSteps(folder, pools)
      .map((step) => `  ${step}`)
      .join('\n')}`,
  ]
  return `${said.join('\n\n')}\n`
}

function notAsked(nodes: readonly string[]): string {
  return `no inventory of ${nodes.join(', ')}: their pools manage nothing yet; run "nodewave agent import" on the hosts`
}

function nextSteps(folder: string, pools: readonly PoolDescription[]): string[] {
  return [
    ...pools.filter(({ missingOn }) => missingOn.length > 0).map(labelCommand),
    `nodewave validate ${folder}`,
    `git -C ${folder} init -b main && git -C ${folder} add -A && git -C ${folder} commit -m 'as the nodes run'`,
  ]
}

function toData({ folder, files, pools, withoutInventory, changes, judged }: ImportView) {
  return {
    folder,
    files,
    valid: judged.model !== undefined,
    pools: pools.map(({ name, nodes, version, matchLabels, missingOn, remarks }) => ({
      ...{ name, nodes, version, matchLabels, missingOn },
      remarks: remarks.map(({ what, why, remedy }) => ({ what, why, remedy })),
    })),
    withoutInventory,
    changes,
  }
}
