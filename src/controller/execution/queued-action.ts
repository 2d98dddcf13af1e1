import type { Action } from '../../rollout/model/decision.ts'
import type { RestoreSettings } from '../node-settings/restore-settings.ts'
import type { SignNode } from '../signing/sign-node.ts'
import { labelKey, nodeKey, settingsKey, signatureKey, type WrittenObject } from '../writes/write-failures.ts'
import type { LabelPool, NodeAction } from './node-patch.ts'

/** What no decision is made upon. */
export type UnassumedAction = LabelPool | SignNode | RestoreSettings
const UNASSUMED: ReadonlySet<QueuedAction['kind']> = new Set(['label', 'sign', 'restore'] satisfies UnassumedAction['kind'][])

/** What is done by one patch of a Node. */
export type PatchAction = NodeAction | UnassumedAction

/** What is done to one node or pod. */
export type QueuedAction = PatchAction | Extract<Action, { kind: 'evict' }>

export function isUnassumed(action: QueuedAction): action is UnassumedAction {
  return UNASSUMED.has(action.kind)
}

/** The content that a failure is about: another one is tried at once. */
export function aboutOf(action: QueuedAction): string {
  if (action.kind === 'assign') return action.digest
  return action.kind === 'cordon' ? action.mark.digest : action.kind
}

/** Of which one write is under way at a time. */
export function objectOf(action: QueuedAction): WrittenObject {
  return action.kind === 'evict' ? `pod ${action.pod.uid}` : nodeKey(action.node)
}

const OWN_KEY = { restore: settingsKey, label: labelKey, sign: signatureKey }

/** What no decision is made upon keeps the node from no assignment when the server refuses it: the next one may be what mends it. */
export function failureKeyOf(action: QueuedAction): WrittenObject {
  return isUnassumed(action) ? OWN_KEY[action.kind](action.node) : objectOf(action)
}

export function nameOf(action: QueuedAction): string {
  return action.kind === 'evict' ? `${action.pod.namespace}/${action.pod.name}` : action.node
}
