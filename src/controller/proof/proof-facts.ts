import type { KubeObject } from '../../kube/kube-api.ts'
import { foreignText } from '../../protocol/foreign-text.ts'
import { PROOF_KEYS } from '../../protocol/names.ts'
import type { ProofPod } from '../../rollout/model/node-view.ts'
import { isPauseImage } from '../../rollout/proof/image.ts'
import type { Cached } from '../cache/object-cache.ts'
import { CONTAINER, nodeOfPod } from './proof-pod.ts'

export interface ProofFacts extends Cached {
  readonly pod: ProofPod
}

/** What a kubelet complains of, by the pod that it is about. */
export interface Complaint extends Cached {
  readonly about: string
  readonly at: number
  readonly text: string
}

const MAX_TEXT = 400

interface PodStatus {
  readonly phase?: string
  readonly reason?: string
  readonly message?: string
  readonly containerStatuses?: readonly { readonly state?: ContainerState }[]
}

interface ContainerState {
  readonly waiting?: Said
  readonly running?: object
  readonly terminated?: Said & { readonly exitCode?: number }
}

interface Said {
  readonly reason?: string
  readonly message?: string
}

export function projectProofPod(object: KubeObject): ProofFacts {
  const { metadata } = object
  const { [PROOF_KEYS.digest]: digest = '', ...annotations } = metadata.annotations ?? {}
  const status = (object.status ?? {}) as PodStatus
  const message = saidOf(status)
  const at = (key: string): number => Date.parse(annotations[key] ?? '') || 0
  return {
    ...{ name: metadata.name, namespace: metadata.namespace ?? '', resourceVersion: metadata.resourceVersion ?? '' },
    pod: {
      ...{ node: nodeOfPod(object), name: metadata.name, uid: metadata.uid ?? '', digest },
      ...{ assignedAt: at(PROOF_KEYS.assignedAt), startedAt: at(PROOF_KEYS.startedAt), state: stateOf(status) },
      ...(hasToEnd(object) && { hasToEnd: true }),
      ...(status.reason === 'OutOfpods' && { hasNoRoom: true }),
      ...(status.reason === 'Evicted' && { wasEvicted: true }),
      ...(message !== '' && { message }),
    },
  }
}

/** A pause container never does. */
function hasToEnd({ spec }: KubeObject): boolean {
  const { containers = [] } = (spec ?? {}) as { readonly containers?: readonly Container[] }
  return containers.some(({ name, image = '', command }) => name === CONTAINER && (command !== undefined || !isPauseImage(image)))
}

interface Container {
  readonly name?: string
  readonly image?: string
  readonly command?: readonly string[]
}

/** Of its only container: a pod is called Running a little before. */
function stateOf({ phase, containerStatuses = [] }: PodStatus): ProofPod['state'] {
  if (phase === 'Succeeded' || phase === 'Failed') return phase
  return containerStatuses.some(({ state }) => state?.running !== undefined) ? 'Running' : 'Pending'
}

/** `ErrImagePull: failed to pull …`, `exit code 1: can't resolve …`, `OutOfpods: Pod was rejected: …` */
function saidOf({ reason, message, containerStatuses = [] }: PodStatus): string {
  const parts = containerStatuses.flatMap(({ state: { waiting, terminated } = {} }) => [
    ...(waiting ? [wordsOf(waiting)] : []),
    ...(terminated && terminated.exitCode !== 0
      ? [wordsOf({ reason: `exit code ${terminated.exitCode}`, message: terminated.message?.trim() || terminated.reason })]
      : []),
  ])
  return foreignText([wordsOf({ reason, message }), ...parts].filter((part) => part !== '').join('; '), MAX_TEXT)
}

function wordsOf({ reason, message }: { readonly reason?: string | undefined; readonly message?: string | undefined }): string {
  return [reason, message].filter((part) => part !== undefined && part !== '').join(': ')
}

export function projectComplaint(object: KubeObject): Complaint {
  const { metadata } = object
  const { involvedObject, ...event } = object as unknown as KubeEvent
  return {
    ...{ name: metadata.name, namespace: metadata.namespace ?? '', resourceVersion: metadata.resourceVersion ?? '' },
    about: involvedObject?.uid ?? '',
    at: Date.parse(event.series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? '') || 0,
    text: foreignText(wordsOf(event), MAX_TEXT),
  }
}

interface KubeEvent extends Said {
  readonly involvedObject?: { readonly uid?: string }
  readonly lastTimestamp?: string | null
  readonly eventTime?: string | null
  readonly series?: { readonly lastObservedTime?: string }
}

/** With what the kubelet complained of last, which says more than the state of the container. */
export function withComplaint(pod: ProofPod, complaints: Iterable<Complaint>): ProofPod {
  let last: Complaint | undefined
  for (const complaint of complaints) if (complaint.about === pod.uid && complaint.at >= (last?.at ?? 0)) last = complaint
  if (!last || pod.message?.includes(last.text)) return pod
  return { ...pod, message: [pod.message, last.text].filter((part) => part !== undefined).join('; ') }
}
