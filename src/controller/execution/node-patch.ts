import { nextCounter } from '../../protocol/assignment-signature.ts'
import { formatCordonMark } from '../../protocol/cordon-mark.ts'
import { formatDesiredConfig } from '../../protocol/desired-config.ts'
import { askedByKey, type Names } from '../../protocol/names.ts'
import { addToNodeHistory } from '../../protocol/node-history.ts'
import { formatNodeProof, type NodeProof } from '../../protocol/node-proof.ts'
import { formatWrittenSettings, settingsIn, type Taint, taintName } from '../../protocol/node-settings.ts'
import { formatRebootOrder } from '../../protocol/reboot-order.ts'
import type { Ceiling } from '../../rollout/model/ceiling.ts'
import type { Action } from '../../rollout/model/decision.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import { formatRenderedFrom } from '../cache/rendered-from.ts'
import type { RenderedConfig } from '../fleet/compiled-fleet.ts'
import type { RestoreSettings } from '../node-settings/restore-settings.ts'
import { settingsPatch } from '../node-settings/settings-patch.ts'
import type { AssignmentSigner } from '../signing/assignment-signer.ts'
import type { Assign, SignNode } from '../signing/sign-node.ts'
import { runBefore } from './node-run.ts'

/** What is done by a patch of the Node. */
export type NodeAction = Extract<
  Action,
  { kind: 'assign' | 'cordon' | 'uncordon' | 'allowByHand' | 'recordProof' | 'clearReboot' }
>

/** A node that changes pools, and is to be changed in nothing else for that, is found where it is by its label. */
export interface LabelPool {
  readonly kind: 'label'
  readonly node: string
  readonly pool: string
}

/** One JSON merge patch of a Node. With the resourceVersion that the decision was based on, a late one is refused instead of doing harm. */
export interface NodePatch {
  readonly metadata: {
    readonly resourceVersion: string
    readonly annotations?: Readonly<Record<string, string | null>>
    readonly labels?: Readonly<Record<string, string | null>>
  }
  readonly spec?: { readonly unschedulable?: true | null; readonly taints?: readonly Taint[] }
}

interface PatchContext {
  readonly names: Names
  readonly resourceVersion: string
}

/** The proof that an assignment wants; none: what is noted is of an earlier one. */
export function wantedProof({ digest, at, proof }: Assign): NodeProof | undefined {
  return proof && { digest, assignedAt: at, state: 'Wanted', ...proof }
}

interface AssignContext extends PatchContext {
  readonly rendered: RenderedConfig
  readonly node: ClusterNode
  /** Absent: anything is allowed. */
  readonly ceiling: Ceiling | undefined
  /** Absent: assignments are not signed. */
  readonly signer?: AssignmentSigner | undefined
  readonly now: Instant
}

/** Assignment, history, proof, label and what Git has of the Node object in one request. */
export function assignPatch(assign: Assign, context: AssignContext): NodePatch {
  const { names, rendered, resourceVersion, node, ceiling } = context
  const { POOL } = rendered.desired
  const before = runBefore(node.view, assign)
  const proof = wantedProof(assign)
  const { host } = rendered.content
  const { labels, annotations, taints } = settingsPatch(host === undefined ? {} : settingsIn(host), {
    now: node.settings ?? {},
    key: names.settings,
    ceiling,
  })
  return {
    metadata: {
      resourceVersion,
      annotations: {
        ...annotations,
        [names.desiredConfig]: desiredText(assign, context),
        // Content without such numbers leaves it: a rollback may ask for it.
        ...(rendered.from && { [names.renderedFrom]: formatRenderedFrom(rendered.from, node.renderedFrom) }),
        ...(before && { [names.history]: addToNodeHistory(node.history, before) }),
        ...((proof || node.view.proof) && { [names.proof]: proof ? formatNodeProof(proof, node.uid) : null }),
      },
      labels: { ...labels, ...(POOL !== undefined && { [names.pool]: POOL }) },
    },
    ...(taints && { spec: { taints } }),
  }
}

/** Nothing but the annotation: for the rollout it is the same assignment. */
export function signPatch(sign: SignNode, context: AssignContext): NodePatch {
  const annotations = { [context.names.desiredConfig]: desiredText(sign, context) }
  return { metadata: { resourceVersion: context.resourceVersion, annotations } }
}

function desiredText(assign: Omit<Assign, 'kind'>, { rendered, node, signer, now }: AssignContext): string {
  const desired = {
    ...rendered.desired,
    REVISION: assign.revision,
    GRANT: assign.grant,
    ...(assign.reboot && { REBOOT: formatRebootOrder(assign.reboot) }),
    ...(assign.nodeWas && { NODE_WAS: assign.nodeWas }),
    ASSIGNED: new Date(assign.at).toISOString(),
    COUNTER: nextCounter({ assigned: node.counter, accepted: node.view.status?.counter }, now),
  }
  return formatDesiredConfig(signer ? signer.sign(desired, node.uid) : desired)
}

/** Cordon and mark come together: one without the other would be nobody's, and stay for ever. */
export function cordonPatch({ mark }: Extract<Action, { kind: 'cordon' }>, { names, resourceVersion }: PatchContext): NodePatch {
  return {
    metadata: { resourceVersion, annotations: { [names.cordonedFor]: formatCordonMark(mark) } },
    ...(mark.state === 'Ours' && { spec: { unschedulable: true } }),
  }
}

export function uncordonPatch(
  { mark, lifts }: Extract<Action, { kind: 'uncordon' }>,
  { names, resourceVersion }: PatchContext,
): NodePatch {
  return {
    metadata: { resourceVersion, annotations: { [names.cordonedFor]: mark ? formatCordonMark(mark) : null } },
    ...(lifts && { spec: { unschedulable: null } }),
  }
}

export function byHandPatch(
  { allowed }: Extract<Action, { kind: 'allowByHand' }>,
  { names, resourceVersion }: PatchContext,
): NodePatch {
  return { metadata: { resourceVersion, annotations: { [names.byHand]: allowed ? 'Allow' : null } } }
}

export function clearRebootPatch({ names, resourceVersion }: PatchContext): NodePatch {
  return { metadata: { resourceVersion, annotations: { [names.reboot]: null, [askedByKey(names.reboot)]: null } } }
}

export function proofPatch(
  { proof }: Extract<Action, { kind: 'recordProof' }>,
  { names, resourceVersion, node }: PatchContext & { readonly node: ClusterNode },
): NodePatch {
  return { metadata: { resourceVersion, annotations: { [names.proof]: formatNodeProof(proof, node.uid) } } }
}

export function restorePatch(
  { settings, repair }: RestoreSettings,
  { names, resourceVersion, node }: PatchContext & { readonly node: ClusterNode },
): NodePatch {
  const { labels, annotations, taints = [] } = repair.settings
  const record = formatWrittenSettings(settings, repair.history)
  const ours = new Set(taints.map(taintName))
  const others = (node.settings?.taints ?? []).filter((taint) => !ours.has(taintName(taint)))
  return {
    metadata: { resourceVersion, annotations: { ...annotations, [names.settings]: record }, ...(labels && { labels }) },
    ...(taints.length > 0 && { spec: { taints: [...others, ...taints] } }),
  }
}

export function labelPatch({ pool }: LabelPool, { names, resourceVersion }: PatchContext): NodePatch {
  return { metadata: { resourceVersion, labels: { [names.pool]: pool } } }
}
