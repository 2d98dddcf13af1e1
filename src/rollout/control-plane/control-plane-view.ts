import type { NodeView } from '../model/node-view.ts'

/** The control plane as it can be seen: facts only, nothing concluded. */
export interface ControlPlaneView {
  /** That carry its role, or that a part of it runs on. */
  readonly nodes: readonly NodeView[]
  /** API servers and etcd members that run as pods. None are seen where somebody else runs them. */
  readonly instances: readonly ControlPlaneInstance[]
  /** Versions that API servers answer with when asked. */
  readonly answers: readonly string[]
  /** Why all this may not be as it is now. */
  readonly outdated?: string
}

export const COMPONENTS = ['kube-apiserver', 'etcd'] as const
export type Component = (typeof COMPONENTS)[number]

export interface ControlPlaneInstance {
  readonly component: Component
  /** Of its pod. */
  readonly name: string
  readonly node: string
  /** Its kubelet's word: it asks the API server's /readyz, and etcd's own health. */
  readonly ready: boolean
  /** As its image says; absent when that says nothing. */
  readonly version?: string
}

/** A kubelet cannot give itself this label, nor the next one. */
export const CONTROL_PLANE_ROLE = 'node-role.kubernetes.io/control-plane'
export const ETCD_ROLE = 'node-role.kubernetes.io/etcd'

export function isControlPlaneNode({ labels }: Pick<NodeView, 'labels'>): boolean {
  return CONTROL_PLANE_ROLE in labels || ETCD_ROLE in labels
}
