import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import type { RepoFile } from '../protocol/repo-snapshot.ts'
import type { CliIo } from './cli-io.ts'
import { withClusterOptions } from './cluster.ts'
import { asDocument, type DocumentFormat } from './documents.ts'
import { type ImportView, importData, importParagraphs, importView, labelSteps } from './import/describe-import.ts'
import { hostOption } from './import/imported-fleet.ts'
import { refuseInventoriesIn } from './import/refuse-inventories.ts'
import { type InitSource, initContents } from './init/contents.ts'
import { nextSteps } from './init/next-steps.ts'
import { FORGES } from './init/packaged-files.ts'
import { existingPaths, exists, repositoryOf, writeNewFiles } from './init/write-new-files.ts'
import { outputOption } from './output/output-option.ts'
import { counted, nameList } from './paint.ts'
import { errorsOf, type JudgedFleet, judgeFiles, readFiles } from './read-fleet.ts'

interface InitOptions extends InitSource {
  readonly output: 'text' | DocumentFormat
}

interface InitView {
  readonly folder: string
  readonly files: readonly string[]
  readonly next: readonly string[]
  readonly imported?: ImportView
}

type Files = Readonly<Record<string, string>>

const HELP = `
Without --from-cluster the repository has one pool without nodes. With it, the
repository says what the nodes of the cluster run, as \`nodewave import\` finds it:
its first rollout changes nothing. No file is written over, and no node changes.

Example:
  $ nodewave init my-fleet --from-cluster --host hosts/ --ci github

Each file in hosts/ is what \`nodewave agent import\` printed on one host. The pools
of nodes without such a file manage nothing yet.`

export function initCommand(io: CliIo): Command {
  return withClusterOptions(new Command('init'))
    .description('write a new fleet repository, empty or of what a cluster runs, with files for Git, editors and CI')
    .argument('[path]', 'folder of the new repository', '.')
    .option('--from-cluster', 'write what the nodes of the cluster run')
    .addOption(hostOption())
    .option('--no-configz', 'with --from-cluster: do not ask kubelets for the configuration that they run with')
    .addOption(new Option('--ci <forge>', 'add the CI file that comments the plan on pull requests').choices(FORGES))
    .addOption(outputOption())
    .addHelpText('after', HELP)
    .action((path: string, options: InitOptions) => runInit(io, path, options))
}

async function runInit(io: CliIo, path: string, { output, ...source }: InitOptions): Promise<void> {
  refuseUnused(source)
  const folder = resolve(io.cwd, path)
  refuseInventoriesIn(folder, source.host, io)
  const repository = await repositoryOf(folder)
  const isWithin = repository !== undefined && repository !== folder
  const { ci } = source
  if (ci !== undefined && isWithin)
    throw new Error(
      `--ci needs the top of a repository: "${folder}" is in the repository "${repository}"; choose a folder outside of it, or omit --ci and copy the file from examples/ci`,
    )
  const { files, fleet } = await initContents(io, source)
  const existing = await existingPaths(folder, Object.keys(files))
  if (existing.length > 0)
    throw new Error(
      `"${folder}" already has ${nameList(existing.map((file) => `"${file}"`))}, and init writes over no file; choose another folder`,
    )
  const judged = await judgeWith(io, { folder, files })
  await writeNewFiles(folder, files)
  for (const warning of fleet?.warnings ?? []) io.stderr(`warning: ${warning}\n`)
  const imported = fleet && importView(fleet, judged)
  const next = nextSteps(path, { ci, repository, isWithin, labels: fleet && labelSteps(fleet.pools) })
  const view = { folder: path, files: Object.keys(files).sort(), next, ...(imported && { imported }) }
  io.stdout(output === 'text' ? toText(view, io) : asDocument(toData(view), output))
  io.exit(imported !== undefined && imported.changes.length > 0 ? 1 : 0)
}

/** Options that only an import reads would be ignored without a word. */
function refuseUnused({ fromCluster, host, configz, kubeconfig, context }: InitSource): void {
  if (fromCluster) return
  const given = { '--host': host.length > 0, '--no-configz': !configz, '--kubeconfig': kubeconfig, '--context': context }
  const [unused] = Object.entries(given).find(([, isGiven]) => isGiven) ?? []
  if (unused !== undefined) throw new Error(`${unused} needs --from-cluster: without it, no cluster is asked; add it`)
}

/** Documents that are in the folder already become a part of the fleet. @throws {Error} when the fleet is invalid */
async function judgeWith(io: CliIo, { folder, files }: { readonly folder: string; readonly files: Files }): Promise<JudgedFleet> {
  const present = (await exists(folder)) ? await readFiles(io, { path: folder }) : new Map<string, RepoFile>()
  const added = Object.entries(files).map(([name, text]): [string, RepoFile] => [
    name,
    { kind: 'file', bytes: Buffer.from(text) },
  ])
  const judged = judgeFiles(new Map([...present, ...added]))
  if (judged.model !== undefined) return judged
  const { lines, sum } = errorsOf(judged)
  throw new Error(
    `nothing is written: with the files in "${folder}" the fleet is invalid: ${sum}; name a new folder\n\n${lines.join('\n\n')}`,
  )
}

const HINT = 'Do nodes run already? `nodewave init DIR --from-cluster` writes what they run.'

function toText({ folder, files, next, imported }: InitView, io: CliIo): string {
  const shown = files.map((name) => `  ${name}`).join('\n')
  const said = [
    `wrote ${counted(files.length, 'file')} to "${folder}"\n${shown}`,
    ...(imported ? importParagraphs(imported, io) : []),
    `next:\n${next.map((step) => `  ${step}`).join('\n')}`,
    ...(imported ? [] : [HINT]),
  ]
  return `${said.join('\n\n')}\n`
}

function toData({ imported, ...view }: InitView) {
  return { ...view, ...(imported && importData(imported)) }
}
