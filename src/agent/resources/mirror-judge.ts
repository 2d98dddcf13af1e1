import type { MirrorPod } from '../ports.ts'

/** What is asked of a mirror pod. */
export interface MirrorDemand {
  readonly digest: string
  /** Milliseconds. */
  readonly within: number
}

/** One look. `silent`: the API server does not answer. */
export interface MirrorLook {
  readonly at: number
  readonly pod: MirrorPod | undefined | 'silent'
}

/** What the looks so far have shown. Monotonic milliseconds. */
export interface MirrorRecord {
  readonly since: number
  readonly at: number
  /** In which nobody answered: it does not count. */
  readonly silence: number
  /** Since when the pod is Ready, and has restarted this often. */
  readonly ready?: { readonly since: number; readonly restarts: number } | undefined
}

export type MirrorVerdict = { readonly kind: 'wait' | 'ready' } | { readonly kind: 'failed'; readonly why: string }

/** A container that exits at once makes its pod Ready for a moment, each time. */
export const STEADY = 5000
/** An outage of the API server is no fault of the pod's; but one without an end may be: the pod may be what leads there. */
const LONGEST_SILENCE = 300_000

export function mirrorRecordFrom(at: number): MirrorRecord {
  return { since: at, at, silence: 0 }
}

/** Pure. */
export function judgeMirror(
  before: MirrorRecord,
  { at, pod }: MirrorLook,
  { digest, within }: MirrorDemand,
): { readonly record: MirrorRecord; readonly verdict: MirrorVerdict } {
  const silence = before.silence + (pod === 'silent' ? at - before.at : 0)
  const isReady = pod !== undefined && pod !== 'silent' && pod.digest === digest && pod.ready
  const { ready: known } = before
  const ready = isReady ? (known?.restarts === pod.restarts ? known : { since: at, restarts: pod.restarts }) : undefined
  const record = { since: before.since, at, silence, ready: pod === 'silent' ? known : ready }
  const verdict = (kind: 'wait' | 'ready') => ({ record, verdict: { kind } })
  if (ready !== undefined && at - ready.since >= STEADY) return verdict('ready')
  if (silence >= LONGEST_SILENCE) return { record, verdict: { kind: 'failed', why: 'the API server does not answer' } }
  if (pod === 'silent' || at - before.since - silence < within + (ready === undefined ? 0 : STEADY)) return verdict('wait')
  return { record, verdict: { kind: 'failed', why: complaintAbout(pod, digest) } }
}

const NO_MIRROR =
  'it has no mirror pod: the kubelet refused the manifest, or the API server refused the mirror pod, as in a namespace that does not exist; see journalctl -u kubelet'

function complaintAbout(pod: MirrorPod | undefined, digest: string): string {
  if (pod === undefined) return NO_MIRROR
  if (pod.digest !== digest) return 'its mirror pod is still that of another manifest'
  if (pod.ready) return 'its containers keep exiting'
  return pod.trouble ?? 'its mirror pod is not Ready'
}
