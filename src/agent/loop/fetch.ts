import { type DesiredConfig, parseDesiredConfig } from '../../protocol/desired-config.ts'
import { contentDigest, type NodeContent } from '../../protocol/digest.ts'
import { PAYLOAD_KEYS } from '../../protocol/names.ts'
import { AgentError, asAgentError } from '../agent-error.ts'
import type { NodeApi } from '../ports.ts'

/** What the node is assigned, with everything that the annotation names. */
export interface Assignment {
  /** The annotation as it stands on the Node, byte for byte. */
  readonly text: string
  readonly desired: DesiredConfig
  readonly content: NodeContent
  readonly digest: string
}

/** @throws {AgentError} of kind `load`: nobody but its writer can mend it. */
export function parseAssignment(text: string): DesiredConfig {
  try {
    return parseDesiredConfig(text)
  } catch (error) {
    throw asAgentError(error, { kind: 'load', reason: 'MalformedDesiredConfig' })
  }
}

/** @throws {AgentError} of kind `download`, also when what came is not what was promised: it is then never applied. */
export async function fetchAssignment(
  text: string,
  { node, namespace, pool }: { readonly node: NodeApi; readonly namespace: string; readonly pool?: string | undefined },
): Promise<Assignment> {
  const desired = parseAssignment(text)
  if (pool !== undefined) refuseUntrusted(desired, { namespace, pool })
  const place = { node, namespace: desired.NAMESPACE ?? namespace }
  const kubelet = await payload(desired.KUBELET_CONFIG, place, [PAYLOAD_KEYS.flags, PAYLOAD_KEYS.config])
  const host = await payload(desired.HOST_CONFIG, place, [PAYLOAD_KEYS.host])
  const secret = await payload(desired.SECRET_CONFIG, { ...place, kind: 'Secret' }, [PAYLOAD_KEYS.secret])
  const content: NodeContent = {
    version: desired.KUBELET_VERSION,
    opts: desired.KUBELET_OPTS,
    flags: kubelet[PAYLOAD_KEYS.flags],
    config: kubelet[PAYLOAD_KEYS.config],
    host: host[PAYLOAD_KEYS.host],
    secret: secret[PAYLOAD_KEYS.secret],
  }
  const digest = contentDigest(content)
  if (desired.DIGEST !== undefined && desired.DIGEST !== digest)
    throw new AgentError(`verify the digest: the annotation says "${desired.DIGEST}", what it names has "${digest}"`, {
      kind: 'download',
      reason: 'DigestMismatch',
    })
  return { text, desired, content, digest }
}

/**
 * Beside a controller, payloads are what it wrote: in its namespace, and with a digest. Elsewhere somebody else may write ConfigMaps.
 * @throws {AgentError} of kind `load`
 */
function refuseUntrusted(
  desired: DesiredConfig,
  { namespace, pool }: { readonly namespace: string; readonly pool: string },
): void {
  const named = desired.KUBELET_CONFIG ?? desired.HOST_CONFIG ?? desired.SECRET_CONFIG
  if (named === undefined) return
  const place = desired.NAMESPACE ?? namespace
  const why =
    place !== namespace
      ? `it is in namespace "${place}", and only "${namespace}" is trusted; see --namespace of the agent`
      : desired.DIGEST === undefined
        ? 'the annotation has no DIGEST; add it, or write KUBELET_OPTS instead'
        : undefined
  if (why === undefined) return
  throw new AgentError(`refuse ConfigMap "${named}" on a Node of pool "${pool}": ${why}`, {
    kind: 'load',
    reason: 'UntrustedPayload',
  })
}

interface Place {
  readonly node: NodeApi
  readonly namespace: string
  /** Default: ConfigMap. */
  readonly kind?: 'ConfigMap' | 'Secret'
}

async function payload(
  name: string | undefined,
  { node, namespace, kind = 'ConfigMap' }: Place,
  keys: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  if (name === undefined) return {}
  const read = kind === 'Secret' ? node.secret(namespace, name) : node.configMap(namespace, name)
  const data = await read.catch((cause: unknown) => {
    throw asAgentError(cause, { kind: 'download', reason: 'DownloadFailed' })
  })
  if (keys.some((key) => data[key] !== undefined)) return data
  throw new AgentError(`read ${kind} "${namespace}/${name}": it has none of the keys ${keys.join(', ')}`, {
    kind: 'download',
    reason: 'EmptyPayload',
  })
}
