import type { NodeView } from '../model/node-view.ts'
import type { ProofPolicy } from '../model/policy.ts'

/** `registry.k8s.io/pause:3.10`, `rancher/mirrored-pause:3.6`, `…/eks/pause@sha256:…` */
const PAUSE = /(?:^|\/)(?:[a-z0-9-]+-)?pause(?:-[a-z0-9]+)?(?:[:@]|$)/

/** It does nothing, and never ends. */
export function isPauseImage(image: string): boolean {
  return PAUSE.test(image)
}

/** What the pod runs; undefined when no pod is to prove the node, or no image is known for it. */
export function proofImage(node: NodeView, policy: ProofPolicy | undefined): string | undefined {
  return policy === undefined || policy.mode === 'Never' ? undefined : (policy.image ?? pauseImageOf(node))
}

/** A kubelet whose runtime does not answer reports no image at all: then the one that it reported before the change counts. */
export function pauseImageOf({ pauseImage, proof }: NodeView): string | undefined {
  return pauseImage ?? proof?.pauseImage
}
