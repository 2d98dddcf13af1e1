import { createHash } from 'node:crypto'

/** What a digest is taken over: plain JSON data. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined }

/** The only form digests begin with today. A change of what is hashed gets a new prefix, so an upgrade of ours never rolls a fleet. */
export const DIGEST_PATTERN = /^v1:[0-9a-f]{64}$/

/** JSON with sorted keys and no white space: equal data, equal text. Keys whose value is undefined are left out. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (value !== null && typeof value === 'object') {
    const members = Object.entries(value as Record<string, Json | undefined>)
      .filter((entry): entry is [string, Json] => entry[1] !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`)
    return `{${members.join(',')}}`
  }
  // What a number cannot hold exactly, a document that was read may have all the same.
  return typeof (value as unknown) === 'bigint' ? String(value) : JSON.stringify(value)
}

/** `v1:<sha256>` of the canonical JSON. */
export function digestOf(value: Json): string {
  return `v1:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`
}

/**
 * Everything a node is to become, as the exact texts that travel in the annotation, the ConfigMaps and the Secret.
 * The digest of a node is taken over this and nothing else; commit, pool and grant are not part of it.
 */
export interface NodeContent {
  /** KUBELET_VERSION */
  readonly version?: string | undefined
  /** KUBELET_OPTS */
  readonly opts?: string | undefined
  /** `kubelet-flags` of the ConfigMap named by KUBELET_CONFIG */
  readonly flags?: string | undefined
  /** `kubelet` of the same ConfigMap */
  readonly config?: string | undefined
  /** `host` of the ConfigMap named by HOST_CONFIG */
  readonly host?: string | undefined
  /** `secret` of the Secret named by SECRET_CONFIG. Nothing may show it. */
  readonly secret?: string | undefined
}

export function contentDigest(content: NodeContent): string {
  const { version, opts, flags, config, host, secret } = content
  return digestOf({ version, opts, flags, config, host, secret })
}
