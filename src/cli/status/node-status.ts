import { projectNode } from '../../controller/cache/node-view.ts'
import type { KubeObject } from '../../kube/kube-api.ts'
import type { Names } from '../../protocol/names.ts'
import type { NodeView } from '../../rollout/model/node-view.ts'
import { isRequestOver, requiresReboot } from '../../rollout/model/reboot.ts'
import { nodeRuns } from '../history/node-history.ts'
import { tableLines } from '../paint.ts'
import { printable } from '../printable.ts'
import type { PoolStatusView } from './pool-view.ts'

/** A node as people ask about it. */
export interface NodeStatusView {
  readonly node: string
  readonly pool?: string
  /** It is Ready, and its agent has applied what it was assigned. */
  readonly well: boolean
  readonly facts: Readonly<Record<string, string>>
}

export function nodeSight(
  object: KubeObject,
  { names, pools }: { readonly names: Names; readonly pools: readonly PoolStatusView[] },
): NodeStatusView {
  const { view, poolLabel, name } = projectNode(names)(object)
  const { status, hold, heldBy } = view
  const [run] = nodeRuns(object.metadata.annotations ?? {}, names)
  const failed = pools.flatMap((pool) => pool.status.failed ?? []).find(({ node }) => node === name)
  const facts = {
    pool: poolLabel,
    ready: `${view.ready} since ${new Date(view.readySince).toISOString()}`,
    kubelet: view.kubeletVersion,
    cordoned: view.unschedulable ? (view.mark?.state === 'Ours' ? 'by nodewave' : 'by somebody else') : undefined,
    held: hold === undefined ? undefined : `${hold}${heldBy ? ` (${heldBy.who} at ${heldBy.at})` : ''}`,
    assigned: run && `${run.revision}${run.from === undefined ? '' : ` at ${run.from}`}`,
    granted: view.assigned?.grant,
    phase: status && `${status.phase} since ${status.since}`,
    needs: status?.needs,
    'needs reboot': requiresReboot(view) ? status?.reboot?.because.join(', ') : undefined,
    'to reboot': view.rebootRequest && !isRequestOver(view) ? describeRequest(view) : undefined,
    error: status?.error && `${status.error.reason}: ${status.error.message}`,
    drift: status?.drift?.join(', '),
    contested: status?.contested?.join(', '),
    failed: failed && `${failed.reason}: ${failed.message}`,
    agent: status?.agent,
  }
  const known = Object.entries(facts).flatMap(([key, value]) => (value === undefined || value === '' ? [] : [[key, value]]))
  const well = view.ready && hold === undefined && status?.phase === 'Applied' && failed === undefined
  return { node: name, ...(poolLabel !== undefined && { pool: poolLabel }), well, facts: Object.fromEntries(known) }
}

function describeRequest({ rebootRequest, rebootBy }: NodeView): string {
  return `${rebootRequest?.reason || 'asked for'}${rebootBy ? ` (${rebootBy.who} at ${rebootBy.at})` : ''}`
}

export function nodeStatusLines({ node, facts }: NodeStatusView): string[] {
  const rows = Object.entries(facts).map(([key, value]) => [key, printable(value)])
  return tableLines([['node', node], ...rows])
}
