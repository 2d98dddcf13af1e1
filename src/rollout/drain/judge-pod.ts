import type { PodVerdict } from '../model/drain.ts'
import type { PodView } from '../model/node-view.ts'
import type { DrainPolicy } from '../model/policy.ts'

export function judgePod(pod: PodView, policy: Pick<DrainPolicy, 'deleteEmptyDirData' | 'force'>): PodVerdict {
  // A DaemonSet puts its pods on cordoned nodes too: an evicted one would be back at once.
  if (pod.controller === 'DaemonSet' || pod.mirror || pod.finished) return { kind: 'Leave' }
  if (pod.terminating) return { kind: 'Await' }
  if (pod.emptyDir && !policy.deleteEmptyDirData) return { kind: 'Consent', allow: 'deleteEmptyDirData' }
  if (pod.controller === undefined && !policy.force) return { kind: 'Consent', allow: 'force' }
  return { kind: 'Evict' }
}
