import type { KubeObject } from '../../kube/kube-api.ts'

interface Condition {
  readonly type?: unknown
  readonly lastHeartbeatTime?: unknown
}

/**
 * Milliseconds by which a node's clock was ahead of the API server's at the last report of its kubelet; negative: behind. The kubelet writes the
 * time of the heartbeat, and the API server notes when it was written. Absent: no kubelet has reported.
 */
export function clockAhead({ metadata, status }: KubeObject): number | undefined {
  const { conditions } = Object(status)
  const ready = listIn(conditions).find(({ type }: Condition) => type === 'Ready')
  const entries = listIn(metadata.managedFields).map(Object)
  const written = entries.find(({ manager, subresource }) => manager === 'kubelet' && subresource === 'status')
  const ahead = timeOf(ready?.lastHeartbeatTime) - timeOf(written?.time)
  return Number.isNaN(ahead) ? undefined : ahead
}

function listIn(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(Object) : []
}

function timeOf(text: unknown): number {
  return typeof text === 'string' ? Date.parse(text) : Number.NaN
}
