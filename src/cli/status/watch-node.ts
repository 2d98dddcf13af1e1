import type { KubeApi, KubeObject } from '../../kube/kube-api.ts'
import type { Names } from '../../protocol/names.ts'
import type { CliIo } from '../cli-io.ts'
import { readPools } from '../controls/view.ts'
import { printable } from '../printable.ts'
import { type NodeStatusView, nodeSight, nodeStatusLines } from './node-status.ts'
import { redrawer } from './redraw.ts'

export interface WatchNode {
  readonly kube: KubeApi
  readonly node: string
  readonly names: Names
  readonly signal: AbortSignal
}

/** Shows a node at every change until the signal: redrawn in place on a terminal, a line for each fact that changes elsewhere. */
export async function watchNode(io: CliIo, { kube, node, names, signal }: WatchNode): Promise<void> {
  const show = io.isTTY ? drawer(io) : liner(io)
  const only = { fieldSelector: `metadata.name=${node}`, project: (object: KubeObject) => object, signal }
  for await (const event of kube.follow('/api/v1/nodes', only)) {
    const [object] = event.type === 'sync' ? event.items : event.type === 'upsert' ? [event.item] : []
    if (object === undefined) show(gone(node))
    else show(nodeSight(object, { names, pools: await readPools(kube) }))
  }
}

function gone(node: string): NodeStatusView {
  return { node, well: false, facts: { ready: 'the Node is gone' } }
}

function drawer(io: CliIo): (view: NodeStatusView) => void {
  const draw = redrawer(io)
  return (view) => draw(nodeStatusLines(view))
}

function liner({ stdout, now }: CliIo): (view: NodeStatusView) => void {
  let shown: Readonly<Record<string, string>> = {}
  return ({ node, facts }) => {
    const changed = [...new Set([...Object.keys(facts), ...Object.keys(shown)])].filter((key) => facts[key] !== shown[key])
    for (const key of changed)
      stdout(`${new Date(now()).toISOString()} ${node} ${key}: ${printable(facts[key] ?? 'no longer')}\n`)
    shown = facts
  }
}
