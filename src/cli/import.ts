import { resolve } from 'node:path'
import { Command } from 'commander'
import type { CliIo } from './cli-io.ts'
import { withClusterOptions } from './cluster.ts'
import { asDocument, type DocumentFormat } from './documents.ts'
import { type ImportView, importData, importParagraphs, importView, labelSteps } from './import/describe-import.ts'
import { hostOption, importFleet } from './import/imported-fleet.ts'
import type { SubjectSource } from './import/read-subjects.ts'
import { refuseInventoriesIn } from './import/refuse-inventories.ts'
import { writeRepository } from './import/write-repository.ts'
import { outputOption } from './output/output-option.ts'
import { counted } from './paint.ts'
import { judgeFleet } from './read-fleet.ts'
import { shellWord } from './shell-word.ts'

interface ImportOptions extends SubjectSource {
  readonly force: boolean
  readonly output: 'text' | DocumentFormat
}

/** What was written, and what came of it. */
interface WrittenView extends ImportView {
  readonly folder: string
  readonly files: readonly string[]
}

export function importCommand(io: CliIo): Command {
  return withClusterOptions(new Command('import'))
    .description('write a fleet repository of what nodes run, such that its first rollout changes nothing; changes no node')
    .argument('[path]', 'folder of the new repository', '.')
    .addOption(hostOption())
    .option(
      '--nodes <file>',
      'file of nodes, as `kubectl get nodes -o json` prints them, or "-" for stdin. Default: those of the cluster',
    )
    .option('--no-configz', 'do not ask kubelets, through the API server, for the configuration that they run with')
    .option('--force', 'write into a folder that is not empty; files of the same name are written over', false)
    .addOption(outputOption())
    .addHelpText(
      'after',
      '\n`nodewave init --from-cluster` writes the same, with files for Git, editors and CI.\n\nExample:\n  $ nodewave import my-fleet --host hosts/\n\nEach file in hosts/ is what `nodewave agent import` printed on one host.',
    )
    .action((path: string, options: ImportOptions) => runImport(io, path, options))
}

async function runImport(io: CliIo, path: string, { force, output, ...source }: ImportOptions): Promise<void> {
  const folder = resolve(io.cwd, path)
  refuseInventoriesIn(folder, source.host, io)
  const fleet = await importFleet(io, source)
  await writeRepository(folder, fleet.files, { force })
  const judged = await judgeFleet(io, { path })
  for (const warning of fleet.warnings) io.stderr(`warning: ${warning}\n`)
  const view = { ...importView(fleet, judged), folder: path, files: Object.keys(fleet.files).sort() }
  io.stdout(output === 'text' ? toText(view, io) : asDocument(toData(view), output))
  io.exit(judged.model === undefined ? 2 : view.changes.length > 0 ? 1 : 0)
}

function toText(view: WrittenView, io: CliIo): string {
  const folder = shellWord(view.folder)
  const next = [
    ...labelSteps(view.pools),
    `nodewave validate ${folder}`,
    `git -C ${folder} init -b main && git -C ${folder} add -A && git -C ${folder} commit -m 'as the nodes run'`,
  ]
  const said = [
    `wrote ${counted(view.files.length, 'file')} to "${view.folder}"`,
    ...importParagraphs(view, io),
    `next:\n${next.map((step) => `  ${step}`).join('\n')}`,
  ]
  return `${said.join('\n\n')}\n`
}

function toData({ folder, files, ...view }: WrittenView) {
  return { folder, files, ...importData(view) }
}
