import { Command, Option } from 'commander'
import { DEFAULT_NAMESPACE } from '../protocol/names.ts'
import { createRenderer } from '../render/create-renderer.ts'
import type { NodeFacts } from '../render/node-facts.ts'
import type { RenderProblem } from '../render/render-problem.ts'
import type { FleetModel } from '../repo/model.ts'
import type { CliIo } from './cli-io.ts'
import { withClusterOptions } from './cluster.ts'
import { clusterOption, type NamedCluster } from './named-cluster.ts'
import { jsonText } from './output/json-text.ts'
import { yamlText } from './output/yaml-text.ts'
import { tableLines } from './paint.ts'
import { readFleet, renderProblemText } from './read-fleet.ts'
import { type NodeSource, namesOf, readNodes } from './read-nodes.ts'
import type { NodeResult } from './render-manifests.ts'
import { manifests } from './render-manifests.ts'
import { unknownName } from './unknown-name.ts'

interface RenderOptions extends NodeSource, NamedCluster {
  readonly node?: string
  readonly revision?: string
  readonly namespace: string
  readonly output: keyof typeof FORMATS
}

const FORMATS = {
  text: (results: readonly NodeResult[]) => renderText(results),
  yaml: (results: readonly NodeResult[]) =>
    manifests(results)
      .map((manifest) => yamlText(manifest, { lineWidth: 0, blockQuote: 'literal' }))
      .join('---\n'),
  json: (results: readonly NodeResult[]) => jsonText({ apiVersion: 'v1', kind: 'List', items: manifests(results) }),
} as const

export function renderCommand(io: CliIo): Command {
  return withClusterOptions(new Command('render'))
    .description(
      'render the configuration of each node; as yaml or json, the ConfigMaps and annotations that the controller writes',
    )
    .argument('[path]', 'folder of the fleet', '.')
    .option('--node <name>', 'render only this node')
    .option('--revision <rev>', 'commit of the repository. Default: the files in the folder, committed or not')
    .addOption(clusterOption())
    .option('--namespace <name>', 'namespace of the ConfigMaps', DEFAULT_NAMESPACE)
    .option(
      '--nodes <file>',
      'file of nodes, as `kubectl get nodes -o json` prints them, or "-" for stdin. Default: the nodes of the cluster',
    )
    .addOption(new Option('-o, --output <format>', 'output format').choices(Object.keys(FORMATS)).default('text'))
    .addHelpText('after', '\nExample:\n  $ nodewave render fleet/ --node worker-3 -o yaml')
    .action(async (path: string, options: RenderOptions) => {
      const model = await readFleet(io, { path, revision: options.revision, cluster: options.cluster })
      const { results, problems } = renderAll(model, meant(await readNodes(io, options), options.node), options.namespace)
      io.stdout(FORMATS[options.output](results))
      for (const problem of problems) io.stderr(`${renderProblemText(problem)}\n`)
      io.exit(problems.length > 0 ? 2 : 0)
    })
}

/** @throws {Error} when there is none */
function meant<Node extends NodeFacts>(nodes: readonly Node[], name: string | undefined): readonly Node[] {
  const found = nodes.filter((node) => name === undefined || node.name === name)
  if (found.length > 0) return found
  if (name === undefined)
    throw new Error('no nodes to render: the cluster has none; name a file with --nodes, or another cluster')
  throw new Error(unknownName('node', name, namesOf(nodes)))
}

function renderAll(
  model: FleetModel,
  nodes: readonly NodeFacts[],
  namespace: string,
): { results: NodeResult[]; problems: RenderProblem[] } {
  const renderer = createRenderer(model, { namespace })
  const problems: RenderProblem[] = []
  const results = nodes.map((node): NodeResult => {
    const owner = renderer.poolOf(node)
    if (owner.kind === 'contested') problems.push(owner.problem)
    if (owner.kind !== 'owned') return { node: node.name }
    const result = renderer.render(owner.pool, node)
    if (!result.ok) problems.push(...result.problems)
    return { node: node.name, result }
  })
  return { results, problems }
}

function renderText(results: readonly NodeResult[]): string {
  const rows = results.map(({ node, result }) => {
    if (result === undefined) return [node, '-', '-', '-', '-']
    if (!result.ok) return [node, result.pool, '-', 'cannot be rendered', '-']
    return [
      node,
      result.pool,
      result.content.version ?? '-',
      result.digest.slice(0, 15),
      result.payloads.map(({ name }) => name).join(' '),
    ]
  })
  return `${tableLines([['NODE', 'POOL', 'VERSION', 'DIGEST', 'CONFIGMAPS'], ...rows]).join('\n')}\n`
}
