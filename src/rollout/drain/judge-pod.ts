import type { PodView } from '../model/node-view.ts'
import type { DrainPolicy } from '../model/policy.ts'

/**
 * What a drain does about a pod, by the filters of `kubectl drain`.
 * Leave: it may stay. Await: it was told to go, and has not ended. Evict: it is to go.
 * Consent: nobody allowed what its going would cost, `allow` being the setting that does.
 */
export type PodVerdict =
  | { readonly kind: 'Leave' | 'Await' | 'Evict' }
  | { readonly kind: 'Consent'; readonly allow: 'deleteEmptyDirData' | 'force' }

export function judgePod(pod: PodView, policy: Pick<DrainPolicy, 'deleteEmptyDirData' | 'force'>): PodVerdict {
  // A DaemonSet puts its pods on cordoned nodes too: an evicted one would be back at once.
  if (pod.controller === 'DaemonSet' || pod.mirror || pod.finished) return { kind: 'Leave' }
  if (pod.terminating) return { kind: 'Await' }
  if (pod.emptyDir && !policy.deleteEmptyDirData) return { kind: 'Consent', allow: 'deleteEmptyDirData' }
  if (pod.controller === undefined && !policy.force) return { kind: 'Consent', allow: 'force' }
  return { kind: 'Evict' }
}
