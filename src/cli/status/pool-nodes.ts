import type { KubeApi } from '../../kube/kube-api.ts'
import { compareTexts } from '../../protocol/by-text.ts'
import type { Names } from '../../protocol/names.ts'
import { tableLines } from '../paint.ts'
import { printable } from '../printable.ts'
import { type NodeStatusView, nodeSight } from './node-status.ts'
import type { PoolStatusView } from './pool-view.ts'

/** Nodes of a pool by its label, those that need a look first. */
export async function readPoolNodes(kube: KubeApi, pool: PoolStatusView, names: Names): Promise<readonly NodeStatusView[]> {
  const { items } = await kube.list('/api/v1/nodes', {
    labelSelector: `${names.pool}=${pool.name}`,
    project: (object) => nodeSight(object, { names, pools: [pool] }),
  })
  return items.sort((a, b) => Number(a.well) - Number(b.well) || compareTexts(a.node, b.node))
}

const HEADER = ['NODE', 'READY', 'KUBELET', 'ASSIGNED', 'PHASE', 'NOTE']

/** A screen has some fifty lines, and the pool above wants some of them. */
const SHOWN = 20

/** @param all every node; else at most twenty, the rest in one line */
export function poolNodeLines(nodes: readonly NodeStatusView[], { all }: { readonly all: boolean }): string[] {
  if (nodes.length === 0) return []
  const shown = all ? nodes : nodes.slice(0, SHOWN)
  const rest = nodes.slice(shown.length)
  const troubled = rest.filter(({ well }) => !well).length
  const state = troubled === 0 ? 'all Ready and Applied' : `${troubled} of them not Ready and Applied`
  return [
    '',
    ...tableLines([HEADER, ...shown.map(rowOf)]),
    ...(rest.length === 0 ? [] : [`… ${rest.length} more, ${state}; -o wide lists them`]),
  ]
}

function rowOf({ node, facts }: NodeStatusView): string[] {
  const { ready = '', kubelet = '', assigned = '', phase = '' } = facts
  return [node, yesOrNo(ready), kubelet, assigned.split(' at ')[0] ?? '', phase, noteOf(facts)].map(printable)
}

/** `true since …` */
function yesOrNo(ready: string): string {
  return ready.startsWith('true') ? 'True' : ready.replace('false', 'False')
}

/** What keeps it, the worst first: what failed, then what it waits for, then what others did to it. */
const NOTES = ['failed', 'error', 'held', 'needs', 'to reboot', 'needs reboot', 'contested', 'drift', 'cordoned'] as const

function noteOf(facts: NodeStatusView['facts']): string {
  const key = NOTES.find((name) => facts[name] !== undefined)
  if (key === undefined) return ''
  const said = (facts[key] ?? '').split('\n')[0] ?? ''
  return key === 'failed' || key === 'error' ? said : `${key}${key === 'cordoned' ? ' ' : ': '}${said}`
}
