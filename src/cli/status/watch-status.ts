import type { KubeApi } from '../../kube/kube-api.ts'
import type { CliIo } from '../cli-io.ts'
import { type PoolStatusView, projectPool } from './pool-view.ts'
import { redrawer } from './redraw.ts'
import { renderLine, renderStatus } from './render-status.ts'

export interface WatchStatus {
  readonly kube: KubeApi
  /** Of the collection of NodePools. */
  readonly path: string
  /** Only this pool. */
  readonly pool?: string
  readonly signal: AbortSignal
}

/** Shows the pools at every change until the signal: redrawn in place on a terminal, a line for each change elsewhere. */
export async function watchStatus(io: CliIo, { kube, path, pool, signal }: WatchStatus): Promise<void> {
  const pools = new Map<string, PoolStatusView>()
  const show = io.isTTY ? drawer(io) : liner(io)
  const only = pool === undefined ? {} : { fieldSelector: `metadata.name=${pool}` }
  for await (const event of kube.follow(path, { project: projectPool, signal, ...only })) {
    if (event.type === 'sync') {
      pools.clear()
      for (const item of event.items) pools.set(item.name, item)
    } else if (event.type === 'upsert') pools.set(event.item.name, event.item)
    else pools.delete(event.name)
    show([...pools.values()])
  }
}

function drawer(io: CliIo): (pools: readonly PoolStatusView[]) => void {
  const draw = redrawer(io)
  return (pools) => draw(renderStatus(pools, io))
}

function liner({ stdout, now }: CliIo): (pools: readonly PoolStatusView[]) => void {
  const shown = new Map<string, string>()
  return (pools) => {
    for (const pool of pools) {
      const line = renderLine(pool)
      if (shown.get(pool.name) !== line) stdout(`${new Date(now()).toISOString()} ${line}\n`)
      shown.set(pool.name, line)
    }
  }
}
