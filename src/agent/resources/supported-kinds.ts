import type { HostDocument } from '../../protocol/host-document.ts'
import { AgentError } from '../agent-error.ts'

const SUPPORTED: readonly string[] = ['kubelet', 'files', 'units'] satisfies (keyof HostDocument)[]

/**
 * Half of a host document is not what anybody asked for: a kind that this agent does not have makes it refuse the whole.
 * @throws {AgentError} naming the kinds; the host stays as it is.
 */
export function refuseUnsupported(document: HostDocument): void {
  const kinds = Object.entries(document)
    .filter(([kind, value]) => !SUPPORTED.includes(kind) && !isEmpty(value))
    .map(([kind]) => kind)
  if (document.kubelet?.package) kinds.push('kubelet.package')
  if (kinds.length === 0) return
  throw new AgentError(`apply the host document: this agent has no ${kinds.join(', ')}; remove them, or upgrade the agent`, {
    kind: 'validate',
    reason: 'UnsupportedHostResource',
  })
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
}
