import { Command, Option } from 'commander'
import { stringify } from 'yaml'
import { nodePoolsPath } from '../controller/node-pool-view.ts'
import type { KubeApi } from '../kube/kube-api.ts'
import type { CliIo } from './cli-io.ts'
import { type ClusterFlags, connectTo, withClusterOptions } from './cluster.ts'
import { byName, isReady, type PoolSight, projectPool } from './status/pool-sight.ts'
import { renderStatus } from './status/render-status.ts'
import { watchStatus } from './status/watch-status.ts'

interface Flags extends ClusterFlags {
  readonly watch?: true
  readonly output: 'text' | 'json' | 'yaml'
}

export function statusCommand(io: CliIo): Command {
  return withClusterOptions(new Command('status'))
    .description('show how far the pools of a cluster have come; ends with 1 when one is not Ready')
    .argument('[pool]', 'only this pool')
    .option('-w, --watch', 'go on showing changes until Ctrl-C')
    .addOption(new Option('-o, --output <format>', 'of what is shown').choices(['text', 'json', 'yaml']).default('text'))
    .addHelpText('after', '\nExample:\n  $ nodewave status workers --watch')
    .action((pool: string | undefined, flags: Flags) => runStatus(io, pool, flags))
}

async function runStatus(io: CliIo, pool: string | undefined, { kubeconfig, context, watch, output }: Flags): Promise<void> {
  if (watch && output !== 'text') throw new Error(`--watch does not go with -o ${output}; leave one of them out`)
  const kube = await connectTo(io, { kubeconfig, context })
  if (watch) return watchUntilInterrupted(io, kube, pool)
  const pools = await readPools(kube, pool)
  io.stdout(output === 'text' ? `${renderStatus(pools, io).join('\n')}\n` : document(pools, output))
  io.exit(pools.every(isReady) ? 0 : 1)
}

async function readPools(kube: KubeApi, pool: string | undefined): Promise<PoolSight[]> {
  const { items } = await kube.list(nodePoolsPath(), { project: projectPool })
  const pools = items.filter(({ name }) => pool === undefined || name === pool).sort(byName)
  if (pool === undefined || pools.length > 0) return pools
  throw new Error(`there is no pool "${pool}"; there are: ${items.map(({ name }) => name).join(', ') || 'none'}`)
}

async function watchUntilInterrupted(io: CliIo, kube: KubeApi, pool: string | undefined): Promise<void> {
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  await watchStatus(io, { kube, path: nodePoolsPath(), signal: stop.signal, ...(pool !== undefined && { pool }) })
}

function document(pools: readonly PoolSight[], format: 'json' | 'yaml'): string {
  const value = { pools: pools.map(({ name, status }) => ({ name, ...status })) }
  return format === 'json' ? `${JSON.stringify(value, undefined, 2)}\n` : stringify(value)
}
