import { isFailure } from './agent-report.ts'
import type { Proving } from './assigned-node.ts'
import { joiningEnds } from './deadlines.ts'
import { stamp } from './instant.ts'
import { failed, type NodeProgress, RENDER_FAILED } from './node-progress.ts'
import type { NodeView } from './node-view.ts'
import { progressWhenAssigned } from './progress-when-assigned.ts'
import type { NodeTarget } from './snapshot.ts'
import { hasWantedAssignment, type WantedContext } from './wanted-assignment.ts'

type ProgressContext = WantedContext & Proving & { readonly joins: boolean }

/**
 * @param context.joins new to a pool that has something proven to give it
 */
export function progressOf(node: NodeView, context: ProgressContext): NodeProgress {
  const { wanted, joins } = context
  if (node.assignedByHand) return { phase: 'Unmanaged', pending: false }
  if (node.hold !== undefined) return { phase: 'Held', pending: false }
  if (node.leaving) return { phase: 'Leaving', pending: false }
  if (wanted.kind === 'problem' && wanted.reason !== undefined) return { phase: 'Waiting', pending: false }
  if (wanted.kind === 'problem')
    return { phase: 'Waiting', pending: false, failure: { reason: RENDER_FAILED, message: wanted.message } }
  if (joins) return { phase: 'Joining', pending: true, until: joiningEnds(node, context) }
  if (context.isToReboot || !hasWantedAssignment(node, context, context))
    return node.ready ? { phase: 'Waiting', pending: true } : unreachable(node, context)
  return progressWhenAssigned({ node, assigned: node.assigned, wanted, report: context.report, context })
}

/** After this long it counts as down for good, which changes how it may be mended. */
function unreachable({ readySince }: NodeView, { applyTimeout }: WantedContext): NodeProgress {
  return { phase: 'Unreachable', pending: true, until: readySince + applyTimeout }
}

/** Other labels since then want other content, or none can be rendered for them: the node failed at what it has. */
function assignedTarget({ assigned }: NodeView, target: NodeTarget): NodeTarget {
  const isWanted = target.kind === 'config' && target.digest === assigned?.digest
  return isWanted || assigned === undefined ? target : { kind: 'config', digest: assigned.digest, disruption: 'none' }
}

/**
 * It failed at what this rollout assigned it, and is to get the stable content: afterwards nothing on it tells of that.
 * @param context its way to what it failed at
 */
export function failedBeforeRepair(node: NodeView, context: ProgressContext): NodeProgress {
  const { phase, failure } = progressOf(node, { ...context, wanted: assignedTarget(node, context.wanted) })
  if (phase === 'Failed' && failure) return failed(failure)
  const { ready, readySince } = node
  const { report } = context
  const reason = ready ? 'NotRestored' : 'NotReady'
  const message = ready ? 'it does not serve' : `node is not Ready since ${stamp(readySince)}`
  return failed(isFailure(report) && report?.error ? report.error : { reason, message })
}
