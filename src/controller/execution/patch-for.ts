import type { Names } from '../../protocol/names.ts'
import type { Ceiling } from '../../rollout/model/ceiling.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import type { RenderedConfig } from '../fleet/compiled-fleet.ts'
import type { AssignmentSigner } from '../signing/assignment-signer.ts'
import {
  assignPatch,
  byHandPatch,
  clearRebootPatch,
  cordonPatch,
  labelPatch,
  type NodePatch,
  proofPatch,
  restorePatch,
  signPatch,
  uncordonPatch,
} from './node-patch.ts'
import type { PatchAction } from './queued-action.ts'

export interface PatchSources {
  readonly names: Names
  readonly ceiling: Ceiling | undefined
  readonly signer: AssignmentSigner | undefined
  readonly now: Instant
  /** Of an assignment. */
  readonly config: RenderedConfig | undefined
}

/** @returns undefined when the action is about another content than was rendered: it is decided again */
export function patchFor(action: PatchAction, node: ClusterNode, sources: PatchSources): NodePatch | undefined {
  const { names, config: rendered } = sources
  const context = { names, resourceVersion: node.resourceVersion }
  switch (action.kind) {
    case 'label':
      return labelPatch(action, context)
    case 'restore':
      return restorePatch(action, { ...context, node })
    case 'cordon':
      return cordonPatch(action, context)
    case 'uncordon':
      return uncordonPatch(action, context)
    case 'allowByHand':
      return byHandPatch(action, context)
    case 'clearReboot':
      return clearRebootPatch(context)
    case 'recordProof':
      return proofPatch(action, { ...context, node })
    case 'assign':
    case 'sign': {
      if (rendered?.digest !== action.digest) return undefined
      const { ceiling, signer, now } = sources
      const assigning = { ...context, rendered, node, ceiling, signer, now }
      return action.kind === 'sign' ? signPatch(action, assigning) : assignPatch(action, assigning)
    }
  }
}
