import type { Names } from '../../protocol/names.ts'

export const PAYLOAD_READERS = ['own', 'all'] as const
export type PayloadReaders = (typeof PAYLOAD_READERS)[number]

/** Which objects of the cluster are the controller's, and which it reads. */
export interface ClusterSettings {
  readonly names: Names
  /** Where payloads live, which nodes read. */
  readonly namespace: string
  /** Where accepted revisions live, which no node may read. */
  readonly revisionsNamespace: string
  /** Whether the Ceiling of the cluster is read; absent: there is none. */
  readonly readsCeiling?: boolean
  /** Who may read a payload: absent or `own`, the nodes that need it; `all`: whoever has rights that somebody else gave. */
  readonly payloadReaders?: PayloadReaders
  /** Whether payloads may be Secrets, which needs the rights of deploy/secrets-rbac.yaml. Absent: they may not. */
  readonly secrets?: boolean
  /** Where people write Secrets whose values hosts get, which needs the rights of deploy/secret-refs-rbac.yaml. Absent: nowhere. */
  readonly secretsNamespace?: string
}
