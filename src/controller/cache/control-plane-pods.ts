import type { KubeObject } from '../../kube/kube-api.ts'
import { COMPONENTS, type Component, type ControlPlaneInstance } from '../../rollout/control-plane/control-plane-view.ts'
import type { Cached } from './object-cache.ts'

/** Where the pods of a control plane are that runs as static pods, as kubeadm and those who follow it label them. */
export const CONTROL_PLANE_PODS = '/api/v1/namespaces/kube-system/pods'
export const CONTROL_PLANE_SELECTOR = `tier=control-plane,component in (${COMPONENTS.join(',')})`

/** What is kept of such a pod. */
export interface ControlPlanePod extends Cached {
  readonly instance: ControlPlaneInstance
}

interface PodSpec {
  readonly nodeName?: string
  readonly containers?: readonly { readonly name?: string; readonly image?: string }[]
}

interface PodStatus {
  readonly conditions?: readonly { readonly type?: string; readonly status?: string }[]
}

/**
 * Never throws. A kubelet makes the mirror pods of its own node and may write into them what it likes; all that a false one can do
 * is to hold nodes back.
 */
export function projectControlPlanePod({ metadata, ...object }: KubeObject): ControlPlanePod {
  const { nodeName = '', containers = [] } = (object.spec ?? {}) as PodSpec
  const { conditions = [] } = (object.status ?? {}) as PodStatus
  const component = metadata.labels?.component as Component
  const { image } = containers.find(({ name }) => name === component) ?? containers[0] ?? {}
  const version = versionOf(image)
  const ready = conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
  const { name, namespace = '', resourceVersion = '', deletionTimestamp } = metadata
  return {
    ...{ name, namespace, resourceVersion },
    instance: {
      ...{ component, name, node: nodeName },
      ready: ready && deletionTimestamp === undefined,
      ...(version !== undefined && { version }),
    },
  }
}

/** The tag of an image such as `registry.k8s.io/kube-apiserver:v1.36.3`, also where a digest follows it. */
function versionOf(image = ''): string | undefined {
  const [named = ''] = image.split('@', 1)
  return /:(v?\d[\w.+-]{0,63})$/.exec(named)?.[1]
}
