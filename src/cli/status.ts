import { Command, Option } from 'commander'
import { nodePoolsPath } from '../controller/cache/node-pool-view.ts'
import type { KubeApi } from '../kube/kube-api.ts'
import { DEFAULT_PREFIX, type Names, namesFor } from '../protocol/names.ts'
import type { CliIo } from './cli-io.ts'
import { type ClusterFlags, connectTo, withClusterOptions } from './cluster.ts'
import { readPools } from './controls/view.ts'
import { asDocument, type DocumentFormat, isDocumentFormat } from './documents.ts'
import { outputOption } from './output/output-option.ts'
import { firstCommitTrouble, noPoolsLines } from './status/first-commit.ts'
import { type NodeStatusView, nodeSight, nodeStatusLines } from './status/node-status.ts'
import { poolDetails } from './status/pool-details.ts'
import { poolNodeLines, readPoolNodes } from './status/pool-nodes.ts'
import { isReady, type PoolStatusView } from './status/pool-view.ts'
import { renderStatus } from './status/render-status.ts'
import { watchNode } from './status/watch-node.ts'
import { watchStatus } from './status/watch-status.ts'
import { subjectNamed } from './subject.ts'

interface Flags extends ClusterFlags {
  readonly watch?: true
  readonly annotationPrefix: string
  readonly output: 'text' | 'wide' | 'name' | DocumentFormat
}

export function statusCommand(io: CliIo): Command {
  return withClusterOptions(new Command('status'))
    .description('show the pools of a cluster, one pool with its nodes, or one node; exit code 1 when one is not Ready')
    .argument('[pool|node]', 'name; pool/NAME or node/NAME when a pool and a node have the same name')
    .option('-w, --watch', 'show changes until Ctrl-C')
    .addOption(new Option('--annotation-prefix <prefix>', 'prefix of annotations and labels on nodes').default(DEFAULT_PREFIX))
    .addOption(outputOption(['text', 'wide', 'name', 'json', 'yaml']))
    .addHelpText(
      'after',
      `\nExample:\n  $ nodewave status workers -o wide\n  $ nodewave status -o jsonpath='{range .pools[*]}{.name}{"\\t"}{.summary.updated}{"\\n"}{end}'`,
    )
    .action((name: string | undefined, flags: Flags) => runStatus(io, name, flags))
}

async function runStatus(
  io: CliIo,
  name: string | undefined,
  { kubeconfig, context, watch, output, annotationPrefix }: Flags,
): Promise<void> {
  if (watch && output !== 'text') throw new Error(`--watch and -o ${output} exclude each other; omit one of them`)
  const kube = await connectTo(io, { kubeconfig, context })
  if (watch) return watchUntilInterrupted(io, kube, { name, names: namesFor(annotationPrefix) })
  if (name === undefined) return showFleet(io, kube, output)
  const subject = await subjectNamed(kube, name)
  const names = namesFor(annotationPrefix)
  if (subject.kind === 'node') return showNode(io, nodeSight(subject.node, { names, pools: subject.pools }), output)
  return showPool(io, { pool: subject.pool, nodes: await readPoolNodes(kube, subject.pool, names) }, output)
}

interface PoolWithNodes {
  readonly pool: PoolStatusView
  readonly nodes: readonly NodeStatusView[]
}

function showPool(io: CliIo, { pool, nodes }: PoolWithNodes, output: Flags['output']): void {
  const { name, status } = pool
  const lines = () => [
    ...renderStatus([pool], io),
    ...poolNodeLines(nodes, { all: output === 'wide' }),
    ...poolDetails(pool, { now: io.now(), columns: io.columns, isTTY: io.isTTY }),
  ]
  const value = { pools: [{ name, ...status, members: nodes }] }
  io.stdout(inFormat(output, { lines, names: [`pool/${name}`], value }))
  io.exit(isReady(pool) ? 0 : 1)
}

async function showFleet(io: CliIo, kube: KubeApi, output: Flags['output']): Promise<void> {
  const pools = await readPools(kube)
  const trouble = pools.length > 0 ? undefined : await firstCommitTrouble(kube)
  const value = { pools: pools.map(({ name, status }) => ({ name, ...status })), ...(trouble && { trouble }) }
  const lines = () => (pools.length > 0 ? renderStatus(pools, io) : noPoolsLines(trouble))
  io.stdout(inFormat(output, { lines, names: pools.map(({ name }) => `pool/${name}`), value }))
  io.exit(pools.length > 0 && pools.every(isReady) ? 0 : 1)
}

function showNode(io: CliIo, view: NodeStatusView, output: Flags['output']): void {
  io.stdout(inFormat(output, { lines: () => nodeStatusLines(view), names: [`node/${view.node}`], value: view }))
  io.exit(view.well ? 0 : 1)
}

interface Shown {
  readonly lines: () => readonly string[]
  readonly names: readonly string[]
  readonly value: object
}

function inFormat(output: Flags['output'], { lines, names, value }: Shown): string {
  if (isDocumentFormat(output)) return asDocument(value, output)
  return `${(output === 'name' ? names : lines()).join('\n')}\n`
}

interface Watched {
  readonly name: string | undefined
  readonly names: Names
}

async function watchUntilInterrupted(io: CliIo, kube: KubeApi, { name, names }: Watched): Promise<void> {
  const subject = name === undefined ? undefined : await subjectNamed(kube, name)
  const stop = new AbortController()
  // Not before: while the server does not answer, Ctrl-C ends the process as it does everywhere.
  process.once('SIGINT', () => stop.abort())
  const { signal } = stop
  if (subject?.kind === 'node') return watchNode(io, { kube, node: subject.node.metadata.name, names, signal })
  await watchStatus(io, { kube, path: nodePoolsPath(), signal, ...(subject && { pool: subject.pool.name }) })
}
