import { stringify } from 'yaml'
import type { ConfigMode } from '../../protocol/host-document.ts'
import { applyMergePatch, isJsonObject, type JsonObject } from '../../protocol/merge-patch.ts'
import { AgentError } from '../agent-error.ts'
import { parseYaml } from './parse-yaml.ts'

export interface KubeletDocument {
  readonly document: JsonObject
  /** As it is written to the host. */
  readonly text: string
}

const HEADER = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' }

/**
 * The configuration file of a kubelet: Git's fields over the ones the machine had, or Git's alone.
 * @param wanted YAML or JSON
 * @throws {AgentError} of kind `load`, when one of them is no KubeletConfiguration.
 */
export function kubeletDocument(
  wanted: string,
  options: { readonly mode: ConfigMode; readonly local: Uint8Array | undefined },
): KubeletDocument {
  const ours = gitDocument(wanted)
  const base = options.mode === 'full' || options.local === undefined ? {} : parseLocal(options.local)
  const document = { ...HEADER, ...applyMergePatch(base, ours) }
  return { document, text: stringify(document) }
}

/** What Git alone says. */
export function gitDocument(text: string): JsonObject {
  return parseDocument(text, 'the kubelet configuration of the ConfigMap')
}

/** What a file on the host says; an empty document when it is not readable, since it is the kubelet's to complain. */
export function lenientDocument(bytes: Uint8Array | undefined): JsonObject {
  try {
    return bytes === undefined ? {} : parseLocal(bytes)
  } catch {
    return {}
  }
}

/** Which pod a manifest is of; undefined when it is none. */
export function lenientManifest(
  bytes: Uint8Array | undefined,
): { readonly namespace: string; readonly name: string } | undefined {
  try {
    const { metadata } = (parseYaml(Buffer.from(bytes ?? []).toString()) ?? {}) as JsonObject
    if (!isJsonObject(metadata) || typeof metadata.name !== 'string') return undefined
    return { namespace: typeof metadata.namespace === 'string' ? metadata.namespace : 'default', name: metadata.name }
  } catch {
    return undefined
  }
}

function parseLocal(bytes: Uint8Array): JsonObject {
  return parseDocument(Buffer.from(bytes).toString(), 'the local kubelet configuration')
}

function parseDocument(text: string, what: string): JsonObject {
  let value: unknown
  try {
    value = withExactIntegers(parseYaml(text, { intAsBigInt: true })) ?? {}
  } catch (cause) {
    throw new AgentError(`read ${what}: ${(cause as Error).message}`, { kind: 'load', reason: 'MalformedKubeletConfig', cause })
  }
  if (!isJsonObject(value))
    throw new AgentError(`read ${what}: it is no mapping`, { kind: 'load', reason: 'MalformedKubeletConfig' })
  for (const [key, expected] of Object.entries(HEADER)) {
    if (value[key] !== undefined && value[key] !== expected)
      throw new AgentError(`read ${what}: ${key} is ${JSON.stringify(value[key])}, expected "${expected}"`, {
        kind: 'load',
        reason: 'MalformedKubeletConfig',
      })
  }
  return value
}

/** A kubelet's integers have 64 bits: those that a number cannot hold stay what they are, so that they are written as they were read. */
function withExactIntegers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  if (Array.isArray(value)) return value.map(withExactIntegers)
  if (typeof value !== 'object' || value === null) return value
  // Of tags such as !!binary. A kubelet may read it as text, so nothing that is checked here would hold there.
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new Error('it has a value with a tag that JSON does not know')
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withExactIntegers(member)]))
}
