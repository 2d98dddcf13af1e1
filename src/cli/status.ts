import { Command, Option } from 'commander'
import { nodePoolsPath } from '../controller/cache/node-pool-view.ts'
import type { KubeApi } from '../kube/kube-api.ts'
import { DEFAULT_PREFIX, namesFor } from '../protocol/names.ts'
import type { CliIo } from './cli-io.ts'
import { type ClusterFlags, connectTo, withClusterOptions } from './cluster.ts'
import { readPools } from './controls/view.ts'
import { asDocument, type DocumentFormat } from './documents.ts'
import { firstCommitTrouble, noPoolsLines } from './status/first-commit.ts'
import { type NodeStatusView, nodeSight, nodeStatusLines } from './status/node-status.ts'
import { poolDetails } from './status/pool-details.ts'
import { isReady, type PoolStatusView } from './status/pool-view.ts'
import { renderStatus } from './status/render-status.ts'
import { watchStatus } from './status/watch-status.ts'
import { subjectNamed } from './subject.ts'

interface Flags extends ClusterFlags {
  readonly watch?: true
  readonly annotationPrefix: string
  readonly output: 'text' | DocumentFormat
}

export function statusCommand(io: CliIo): Command {
  return withClusterOptions(new Command('status'))
    .description('show the pools of a cluster, or details of one pool or node; exit code 1 when one is not Ready')
    .argument('[pool|node]', 'name; pool/NAME or node/NAME when a pool and a node have the same name')
    .option('-w, --watch', 'show changes until Ctrl-C')
    .addOption(new Option('--annotation-prefix <prefix>', 'prefix of annotations and labels on nodes').default(DEFAULT_PREFIX))
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json', 'yaml']).default('text'))
    .addHelpText('after', '\nExample:\n  $ nodewave status workers --watch')
    .action((name: string | undefined, flags: Flags) => runStatus(io, name, flags))
}

async function runStatus(
  io: CliIo,
  name: string | undefined,
  { kubeconfig, context, watch, output, annotationPrefix }: Flags,
): Promise<void> {
  if (watch && output !== 'text') throw new Error(`--watch and -o ${output} exclude each other; omit one of them`)
  const kube = await connectTo(io, { kubeconfig, context })
  if (watch) return watchUntilInterrupted(io, kube, await watchedPool(kube, name))
  if (name === undefined) return showFleet(io, kube, output)
  const subject = await subjectNamed(kube, name)
  if (subject.kind === 'node')
    return showNode(io, nodeSight(subject.node, { names: namesFor(annotationPrefix), pools: subject.pools }), output)
  if (output !== 'text') return showPools(io, [subject.pool], output)
  io.stdout(
    text([
      ...renderStatus([subject.pool], io),
      ...poolDetails(subject.pool, { now: io.now(), columns: io.columns, isTTY: io.isTTY }),
    ]),
  )
  io.exit(isReady(subject.pool) ? 0 : 1)
}

/** @throws {Error} for a node: pools alone are followed. */
async function watchedPool(kube: KubeApi, name: string | undefined): Promise<string | undefined> {
  if (name === undefined) return undefined
  const subject = await subjectNamed(kube, name)
  if (subject.kind === 'pool') return subject.pool.name
  throw new Error(`--watch follows pools only, and "${name}" is a node; omit --watch`)
}

async function showFleet(io: CliIo, kube: KubeApi, output: Flags['output']): Promise<void> {
  const pools = await readPools(kube)
  if (pools.length > 0) return showPools(io, pools, output)
  const trouble = await firstCommitTrouble(kube)
  io.stdout(output === 'text' ? text(noPoolsLines(trouble)) : asDocument({ pools, ...(trouble && { trouble }) }, output))
  io.exit(1)
}

function showPools(io: CliIo, pools: readonly PoolStatusView[], output: Flags['output']): void {
  const value = { pools: pools.map(({ name, status }) => ({ name, ...status })) }
  io.stdout(output === 'text' ? text(renderStatus(pools, io)) : asDocument(value, output))
  io.exit(pools.every(isReady) ? 0 : 1)
}

function showNode(io: CliIo, view: NodeStatusView, output: Flags['output']): void {
  io.stdout(output === 'text' ? text(nodeStatusLines(view)) : asDocument(view, output))
  io.exit(view.well ? 0 : 1)
}

async function watchUntilInterrupted(io: CliIo, kube: KubeApi, pool: string | undefined): Promise<void> {
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  await watchStatus(io, { kube, path: nodePoolsPath(), signal: stop.signal, ...(pool !== undefined && { pool }) })
}

function text(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`
}
