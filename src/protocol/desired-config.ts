import * as z from 'zod/mini'
import { DIGEST_PATTERN } from './digest.ts'
import { ProtocolError } from './protocol-error.ts'
import { REBOOT_PATTERN } from './reboot-order.ts'

/** How much a change disturbs a node, least first. */
export const DISRUPTIONS = ['none', 'restart', 'drain', 'reboot'] as const
export type Disruption = (typeof DISRUPTIONS)[number]

/**
 * How a node was when it was assigned something; nothing is said of one that was well. It tells whether what becomes of it speaks for or against
 * the content.
 * Unsound: its agent could not restore it, or no pod ran.
 * Silent: it was Ready, and its agent had not said anything about the assignment before in its time.
 * Disturbed: it was not Ready, or at work, by an earlier assignment of the same rollout.
 * Down: it was not Ready for another reason.
 */
export const NODE_WAS = ['Unsound', 'Silent', 'Disturbed', 'Down'] as const
export type NodeWas = (typeof NODE_WAS)[number]

/** `v1.3.2_coreos.0`, `1.36.3`, `1.37.0-rc.1`: what may stand in a file name, a URL and an environment file without quoting. */
export const VERSION_PATTERN = /^v?\d{1,4}\.\d{1,4}\.\d{1,4}(?:[-+_.][0-9A-Za-z][0-9A-Za-z.+_-]{0,60})?$/
export const OBJECT_NAME = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/
const MAX_ANNOTATION = 64 * 1024

const desiredConfig = z.object({
  KUBELET_VERSION: z.optional(z.string().check(z.regex(VERSION_PATTERN))),
  KUBELET_CONFIG: z.optional(z.string().check(z.regex(OBJECT_NAME))),
  KUBELET_OPTS: z.optional(z.string().check(z.maxLength(32_768))),
  HOST_CONFIG: z.optional(z.string().check(z.regex(OBJECT_NAME))),
  /** A Secret. */
  SECRET_CONFIG: z.optional(z.string().check(z.regex(OBJECT_NAME))),
  NAMESPACE: z.optional(z.string().check(z.regex(OBJECT_NAME))),
  DIGEST: z.optional(z.string().check(z.regex(DIGEST_PATTERN))),
  REVISION: z.optional(z.string().check(z.maxLength(128))),
  POOL: z.optional(z.string().check(z.regex(OBJECT_NAME))),
  GRANT: z.optional(z.enum(DISRUPTIONS)),
  /** Boot id: a machine that still runs with it is rebooted once the rest is in place. No part of the content. See reboot-order.ts. */
  REBOOT: z.optional(z.string().check(z.regex(REBOOT_PATTERN))),
  /** RFC 3339, by the controller's clock. A new stamp with the same DIGEST asks an agent that rolled it back to try once more. */
  ASSIGNED: z.optional(z.string().check(z.maxLength(64))),
  /** Greater with each assignment of a Node, whatever clocks say, so that agents recognize an older one, as a restored etcd brings back. */
  COUNTER: z.optional(z.int().check(z.gte(1))),
  /** For the controller alone. What a newer one may say, and this version does not know, counts as nothing. */
  NODE_WAS: z.catch(z.optional(z.enum(NODE_WAS)), undefined),
  /** See assignment-signature.ts. */
  SIGNATURE: z.optional(z.string().check(z.maxLength(256))),
})

/** The content of the `desired-config` annotation. Only the first three keys are the CoreOS Node Agent's; all are optional. */
export type DesiredConfig = z.infer<typeof desiredConfig>

/**
 * Unknown keys are ignored, so that an older agent reads what a newer controller wrote.
 * @throws {ProtocolError} naming the key and what stands there; the node stays as it is.
 */
export function parseDesiredConfig(annotation: string): DesiredConfig {
  if (annotation.length > MAX_ANNOTATION)
    throw new ProtocolError(`desired-config is ${annotation.length} characters long; at most ${MAX_ANNOTATION} are read`)
  const value = parseJsonObject(annotation)
  const result = desiredConfig.safeParse(value)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const key = String(issue?.path[0] ?? '')
  throw new ProtocolError(`desired-config key "${key}" is malformed: found ${shown((value as Record<string, unknown>)[key])}`)
}

export function formatDesiredConfig(config: DesiredConfig): string {
  return JSON.stringify(config)
}

export function atMost(disruption: Disruption, grant: Disruption): boolean {
  return DISRUPTIONS.indexOf(disruption) <= DISRUPTIONS.indexOf(grant)
}

export function greatest(disruptions: Iterable<Disruption>): Disruption {
  let found: Disruption = 'none'
  for (const disruption of disruptions) if (!atMost(disruption, found)) found = disruption
  return found
}

function parseJsonObject(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new ProtocolError(`desired-config is not JSON: ${shown(text)}`, { cause })
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new ProtocolError(`desired-config is not a JSON object: ${shown(text)}`)
  return value
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')
  return `"${text.length > 120 ? `${text.slice(0, 117)}...` : text}"`
}
