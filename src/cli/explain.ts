import { Command, Option } from 'commander'
import { explainNode, type NodeExplanation, type StatedValue } from '../render/explain-node.ts'
import type { NodeFacts } from '../render/node-facts.ts'
import { selectPool } from '../render/select-pool.ts'
import type { FleetModel } from '../repo/model.ts'
import { formatLocation } from '../repo/problem.ts'
import { didYouMean } from '../repo/suggest.ts'
import type { CliIo } from './cli-io.ts'
import { withClusterOptions } from './cluster.ts'
import { asDocument } from './documents.ts'
import { clusterOption, type NamedCluster } from './named-cluster.ts'
import { type Paint, paintFor, shownValue, tableLines } from './paint.ts'
import { readFleet, renderProblemText } from './read-fleet.ts'
import { type NodeSource, namesOf, readNodes } from './read-nodes.ts'
import { unknownName } from './unknown-name.ts'

const FORMATS = {
  text: (view: ExplainView, io: CliIo) => explainText(view, paintFor(io)),
  json: (view: ExplainView) => asDocument(view, 'json'),
  yaml: (view: ExplainView) => asDocument(view, 'yaml'),
} as const

interface ExplainOptions extends NodeSource, NamedCluster {
  readonly repo: string
  readonly revision?: string
  readonly field?: string
  readonly output: keyof typeof FORMATS
}

export function explainCommand(io: CliIo): Command {
  return withClusterOptions(new Command('explain'))
    .description('show where every value of a node comes from: file, line, and which values it overrides')
    .argument('<node>')
    .option('--repo <path>', 'folder of the fleet', '.')
    .option('--revision <rev>', 'commit of the repository. Default: the files in the folder, committed or not')
    .addOption(clusterOption())
    .option('--field <name>', 'show only this flag, field such as evictionHard, or path such as config.evictionHard')
    .option(
      '--nodes <file>',
      'file of nodes, as `kubectl get nodes -o json` prints them, or "-" for stdin. Default: the nodes of the cluster',
    )
    .addOption(new Option('-o, --output <format>', 'output format').choices(Object.keys(FORMATS)).default('text'))
    .addHelpText('after', '\nExample:\n  $ nodewave explain worker-3 --repo fleet/ --field maxPods')
    .action(async (name: string, options: ExplainOptions) => {
      const model = await readFleet(io, { path: options.repo, revision: options.revision, cluster: options.cluster })
      const explanation = explainNamed(model, { name, nodes: await readNodes(io, options) })
      const view = viewOf(explanation, options.field)
      if (view.values.length === 0 && options.field !== undefined) throw new Error(unsetField(explanation, options.field))
      io.stdout(FORMATS[options.output](view, io))
    })
}

function unsetField({ node, values }: NodeExplanation, field: string): string {
  const near = didYouMean(
    field,
    values.flatMap(({ path }) => [path.join('.'), path.slice(1).join('.')]),
  )
  return `field "${field}" is not set by the repository on node "${node}"; ${near ?? 'without --field, every field that is set is listed'}`
}

function explainNamed(
  model: FleetModel,
  { name, nodes }: { readonly name: string; readonly nodes: readonly NodeFacts[] },
): NodeExplanation {
  const node = nodes.find((candidate) => candidate.name === name)
  if (node === undefined) throw new Error(unknownName('node', name, namesOf(nodes)))
  const owner = selectPool(model.pools, node)
  if (owner.kind === 'contested') throw new Error(renderProblemText(owner.problem))
  const pool = owner.kind === 'owned' ? model.pools.get(owner.pool) : undefined
  if (pool === undefined) throw new Error(`node "${name}" is in no pool: no nodeSelector matches its labels`)
  return explainNode(model, { pool, node })
}

type ExplainView = ReturnType<typeof viewOf>

function viewOf({ values, ...rest }: NodeExplanation, field: string | undefined) {
  const meant = values.filter(({ path }) => field === undefined || isMeant(path.join('.'), field))
  return {
    ...rest,
    values: meant.map(({ path, overrode, ...value }) => ({
      path: path.join('.'),
      ...placed(value),
      overrode: overrode.map(placed),
    })),
  }
}

function placed({ value, source, where }: StatedValue) {
  return { value, source, where: formatLocation(where) }
}

/** The whole path, a beginning of it, or either without its first part. */
function isMeant(path: string, field: string): boolean {
  return [path, path.slice(path.indexOf('.') + 1)].some((candidate) => `${candidate}.`.startsWith(`${field}.`))
}

function explainText({ node, pool, precedence, values }: ExplainView, paint: Paint): string {
  const rows = values.flatMap(({ path, overrode, ...value }) => [
    row(path, value),
    ...overrode.map((earlier) => row('', earlier)),
  ])
  const lines = tableLines(rows).map((line) => (line.startsWith(' ') ? paint.dim(line) : line))
  return `${[`${paint.bold(node)} in pool ${pool}; precedence, last wins: ${precedence.join(', ')}`, '', ...lines].join('\n')}\n`
}

function row(path: string, { value, where, source }: ReturnType<typeof placed>): string[] {
  return [path, path === '' ? `not ${shownValue(value, 36)}` : shownValue(value, 40), where, source]
}
