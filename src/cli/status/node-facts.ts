import type { ClusterNode } from '../../controller/cache/cluster-node.ts'
import type { FailedNode } from '../../protocol/node-pool.ts'
import { contestedSettings, parseWrittenSettings } from '../../protocol/node-settings.ts'
import { shortRevision } from '../../protocol/revision-id.ts'
import type { NodeView } from '../../rollout/model/node-view.ts'
import { isRequestOver, requiresReboot } from '../../rollout/model/reboot.ts'

/** What is known of a node, in words; what there is nothing to say of is left out. */
export function nodeFacts(
  { view, poolLabel, settings }: ClusterNode,
  failed: FailedNode | undefined,
): Readonly<Record<string, string>> {
  const { status, hold, heldBy } = view
  const record = parseWrittenSettings(settings?.written)
  const facts = {
    pool: poolLabel,
    ready: `${view.ready} since ${new Date(view.readySince).toISOString()}`,
    kubelet: view.kubeletVersion,
    cordoned: view.unschedulable ? (view.mark?.state === 'Ours' ? 'by nodewave' : 'by somebody else') : undefined,
    held: hold === undefined ? undefined : `${hold}${heldBy ? ` (${heldBy.who} at ${heldBy.at})` : ''}`,
    assigned: describeAssigned(view),
    allowed: view.assigned?.grant,
    phase: status && `${status.phase} since ${status.since}`,
    needs: status?.needs,
    'needs reboot': requiresReboot(view) ? status?.reboot?.because.join(', ') : undefined,
    'to reboot': view.rebootRequest && !isRequestOver(view) ? describeRequest(view) : undefined,
    error: status?.error && `${status.error.reason}: ${status.error.message}`,
    drift: [...(status?.drift ?? []), ...(record.drift ?? [])].join(', '),
    contested: [...(status?.contested ?? []), ...contestedSettings(record)].join(', '),
    failed: failed && `${failed.reason}: ${failed.message}`,
    agent: status?.agent,
  }
  return Object.fromEntries(
    Object.entries(facts).flatMap(([key, value]) => (value === undefined || value === '' ? [] : [[key, value]])),
  )
}

function describeAssigned({ assigned, assignedByHand }: NodeView): string | undefined {
  if (!assigned) return assignedByHand ? 'by hand' : undefined
  const at = assigned.at === undefined ? '' : ` at ${new Date(assigned.at).toISOString()}`
  return `${shortRevision(assigned.revision, 12)}${at}`
}

function describeRequest({ rebootRequest, rebootBy }: NodeView): string {
  return `${rebootRequest?.reason || 'asked for'}${rebootBy ? ` (${rebootBy.who} at ${rebootBy.at})` : ''}`
}
