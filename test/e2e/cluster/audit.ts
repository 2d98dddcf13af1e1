/** What the API server was asked, by whom, as its own audit log has it. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Slot } from './slot.ts'

export const auditPolicy = join(import.meta.dirname, 'audit-policy.yaml')

export function auditLog({ dir }: Pick<Slot, 'dir'>): string {
  return join(dir, 'logs', 'audit.log')
}

export interface Request {
  /** `system:serviceaccount:…` for the controller, `kubernetes-admin` for the harness. */
  readonly user: string
  readonly verb: string
  /** `nodes`, `nodes/status`; empty for what is no resource, such as /readyz. */
  readonly resource: string
  /** Of the answer. A watch is answered when it begins. */
  readonly code: number
  /** When it was answered, in milliseconds since the epoch. */
  readonly at: number
}

/** From now on; the function gives everything that was answered since, in order. Leases are left out. */
export async function recordRequests(slot: Pick<Slot, 'dir'>): Promise<() => Promise<Request[]>> {
  const path = auditLog(slot)
  const { size: from } = await stat(path)
  return async (): Promise<Request[]> =>
    requestsIn((await createReadStream(path, { start: from, encoding: 'utf8' }).toArray()).join(''))
}

interface AuditEvent {
  readonly stage: string
  readonly stageTimestamp: string
  readonly verb: string
  readonly user: { readonly username: string }
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string }
  readonly responseStatus?: { readonly code?: number }
}

/** The last line may be one that is being written. */
function requestsIn(text: string): Request[] {
  const lines = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)
  const events = lines.map((line) => JSON.parse(line) as AuditEvent)
  const answered = events.filter(({ stage, verb }) => stage === (verb === 'watch' ? 'ResponseStarted' : 'ResponseComplete'))
  return answered.map(({ verb, user, objectRef, responseStatus, stageTimestamp }) => ({
    user: user.username,
    verb,
    resource: [objectRef?.resource, objectRef?.subresource].filter(Boolean).join('/'),
    code: responseStatus?.code ?? 0,
    at: Date.parse(stageTimestamp),
  }))
}
