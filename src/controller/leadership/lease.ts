import type { KubeObject } from '../../kube/kube-api.ts'
import { CONTROLLER_LEASE, LEADER_VERSION, TIME_COUNTS_SINCE } from '../../protocol/names.ts'
import { VERSION } from '../../protocol/version.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { LeaseObservation, LeaseRecord } from './election.ts'

export function leasesPath(namespace: string): string {
  return `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`
}

export function leasePath(namespace: string): string {
  return `${leasesPath(namespace)}/${CONTROLLER_LEASE}`
}

export interface LeaseContext {
  readonly found: KubeObject | undefined
  readonly namespace: string
  /** Absent: all time counts for the holder. */
  readonly countsSince?: Instant | undefined
}

/** A Lease that is written again keeps what others put into it. */
export function leaseObject(record: LeaseRecord, { found, namespace, countsSince }: LeaseContext): KubeObject {
  const { [TIME_COUNTS_SINCE]: _before, ...annotations } = found?.metadata.annotations ?? {}
  const since = countsSince === undefined ? {} : { [TIME_COUNTS_SINCE]: new Date(countsSince).toISOString() }
  return {
    ...found,
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      ...(found?.metadata ?? { name: CONTROLLER_LEASE, namespace }),
      annotations: { ...annotations, [LEADER_VERSION]: VERSION, ...since },
    },
    spec: {
      ...(found?.spec as object | undefined),
      holderIdentity: record.holder,
      leaseDurationSeconds: Math.ceil(record.leaseDuration / 1000),
      acquireTime: microTime(record.acquiredAt),
      renewTime: microTime(record.renewedAt),
      leaseTransitions: record.transitions,
    },
  }
}

/** What anybody may have written by hand never throws: a Lease without a readable holder is free. */
export function observationOf({ metadata, spec }: KubeObject): Required<Omit<LeaseObservation, 'since'>> {
  const fields = (spec ?? {}) as Readonly<Record<string, unknown>>
  const record = {
    holder: typeof fields.holderIdentity === 'string' ? fields.holderIdentity : '',
    leaseDuration: (Number(fields.leaseDurationSeconds) || 0) * 1000,
    acquiredAt: timeOf(fields.acquireTime),
    renewedAt: timeOf(fields.renewTime),
    transitions: Number(fields.leaseTransitions) || 0,
  }
  return { record, version: metadata.resourceVersion ?? '' }
}

/** Since when time counts for the holder, or counted for the last one, by its clock; undefined: it did not say. */
export function countsSinceOf({ metadata }: KubeObject): Instant | undefined {
  return timeOf(metadata.annotations?.[TIME_COUNTS_SINCE]) || undefined
}

/** As the API server writes the times of a Lease: it insists on six digits. */
export function microTime(wall: number): string {
  return new Date(wall).toISOString().replace('Z', '000Z')
}

function timeOf(text: unknown): number {
  return (typeof text === 'string' && Date.parse(text)) || 0
}
