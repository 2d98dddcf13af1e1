import { stripVTControlCharacters } from 'node:util'
import type { KubeApi } from '../../kube/kube-api.ts'
import type { CliIo } from '../cli-io.ts'
import { type PoolStatusView, projectPool } from './pool-view.ts'
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
  const show = io.isTTY ? redrawer(io) : liner(io)
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

function redrawer(io: CliIo): (pools: readonly PoolStatusView[]) => void {
  let height = 0
  return (pools) => {
    const { lines, rows } = fitting(renderStatus(pools, io), io)
    io.stdout(`${height > 0 ? `\u001b[${height}A` : ''}\u001b[J${lines.join('\n')}\n`)
    height = rows
  }
}

/** As many lines as the terminal can show: those that scrolled away could not be drawn over. */
function fitting(lines: readonly string[], { columns, rows }: CliIo): { readonly lines: string[]; readonly rows: number } {
  const heights = lines.map((line) => Math.max(1, Math.ceil(stripVTControlCharacters(line).length / columns)))
  const total = heights.reduce((sum, height) => sum + height, 0)
  if (total < rows) return { lines: [...lines], rows: total }
  let [kept, used] = [0, 0]
  while (used + (heights[kept] ?? rows) < rows - 1) used += heights[kept++] ?? 0
  return { lines: [...lines.slice(0, kept), `… ${lines.length - kept} more lines`], rows: used + 1 }
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
