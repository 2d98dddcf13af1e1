import { type KubeApi, KubeError, type KubeObject } from '../../kube/kube-api.ts'
import { STATIC_POD_KEY } from '../../protocol/static-pods.ts'
import type { MirrorPod } from '../ports.ts'

/** @returns undefined when there is none, or when another pod has its name. */
export async function readMirrorPod(
  kube: KubeApi,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<MirrorPod | undefined> {
  try {
    return toMirrorPod(await kube.get<KubeObject>(`/api/v1/namespaces/${namespace}/pods/${name}`))
  } catch (error) {
    // A pod that the API server does not count to this node yet is none to it.
    if (error instanceof KubeError && (error.code === 404 || error.code === 403)) return undefined
    throw error
  }
}

/** What the kubelet puts on the mirror of a static pod. */
const MIRROR = 'kubernetes.io/config.mirror'

interface PodStatus {
  readonly phase?: string
  readonly reason?: string
  readonly message?: string
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[]
  readonly initContainerStatuses?: readonly ContainerStatus[]
  readonly containerStatuses?: readonly ContainerStatus[]
}

interface ContainerStatus {
  readonly name: string
  readonly restartCount?: number
  readonly state?: { readonly waiting?: Reason; readonly terminated?: Reason & { readonly exitCode?: number } }
}

interface Reason {
  readonly reason?: string
  readonly message?: string
}

export function toMirrorPod({ metadata, ...pod }: KubeObject): MirrorPod | undefined {
  if (metadata.annotations?.[MIRROR] === undefined) return undefined
  const status = (pod.status ?? {}) as PodStatus
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]
  const ready = status.conditions?.find(({ type }) => type === 'Ready')
  return {
    digest: metadata.annotations[STATIC_POD_KEY],
    ready: ready?.status === 'True' && metadata.deletionTimestamp === undefined,
    restarts: containers.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0),
    trouble: containers.map(troubleOf).find((text) => text !== undefined) ?? said(status) ?? ready?.message,
  }
}

function troubleOf({ name, state = {} }: ContainerStatus): string | undefined {
  const { waiting, terminated } = state
  const text =
    said(waiting ?? {}) ?? (terminated && `${said(terminated) ?? 'it exited'} (exit ${terminated.exitCode ?? 'unknown'})`)
  return text === undefined ? undefined : `container "${name}": ${text}`
}

function said({ reason, message }: Reason): string | undefined {
  const parts = [reason, message].filter(Boolean)
  return parts.length === 0 ? undefined : parts.join(': ')
}
