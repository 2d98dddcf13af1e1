import { own } from '../../protocol/own.ts'
import { type Draft, errorAt, type Loaded } from '../draft.ts'
import { formatLocation, type Problem } from '../problem.ts'
import type { NodePoolSpec } from '../schema/node-pool.ts'
import type { Path } from '../source.ts'

/** Flags whose field has another name, or lies deeper; all others are the field's name in kebab case. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  'anonymous-auth': ['authentication', 'anonymous', 'enabled'],
  'authentication-token-webhook': ['authentication', 'webhook', 'enabled'],
  'authentication-token-webhook-cache-ttl': ['authentication', 'webhook', 'cacheTTL'],
  'authorization-mode': ['authorization', 'mode'],
  'authorization-webhook-cache-authorized-ttl': ['authorization', 'webhook', 'cacheAuthorizedTTL'],
  'authorization-webhook-cache-unauthorized-ttl': ['authorization', 'webhook', 'cacheUnauthorizedTTL'],
  'client-ca-file': ['authentication', 'x509', 'clientCAFile'],
  'event-qps': ['eventRecordQPS'],
  'kube-api-qps': ['kubeAPIQPS'],
  'logging-format': ['logging', 'format'],
  'pod-manifest-path': ['staticPodPath'],
  'manifest-url': ['staticPodURL'],
  'tls-private-key-file': ['tlsPrivateKeyFile'],
  v: ['logging', 'verbosity'],
  vmodule: ['logging', 'vmodule'],
}

/** Gates of both are put together, gate by gate. */
const MERGED = ['feature-gates']

/** A flag wins over the field of the same meaning, and the kubelet does not say so. */
export function checkShadowedFields({ documents }: Draft): Problem[] {
  const problems = [...documents.NodePool.values()].flatMap((pool) => shadowedIn(pool, documents))
  return [...new Map(problems.map((problem) => [`${formatLocation(problem.at)} ${problem.message}`, problem])).values()]
}

/** Where something is set, the last place that does. */
interface Place {
  readonly document: Loaded<unknown>
  readonly path: Path
}

function shadowedIn(pool: Loaded<NodePoolSpec>, documents: Draft['documents']): Problem[] {
  const fields = fieldsOf(pool, documents)
  return [...flagsOf(pool, documents)].flatMap(([flag, place]) => {
    if (MERGED.includes(flag)) return []
    const field = fields.get((own(FIELDS, flag) ?? [flag.replaceAll('-', '')]).join('.').toLowerCase())
    return field ? [problemOf({ flag, place, field })] : []
  })
}

function problemOf({ flag, place, field }: { readonly flag: string; readonly place: Place; readonly field: Place }): Problem {
  const at = formatLocation(field.document.source.where(field.path))
  const name = field.path.slice(1).join('.')
  const problem = errorAt(place.document, place.path, {
    reason: 'Conflict',
    message: `the kubelet uses --${flag} from here instead of the field ${name} at ${at}`,
    remedy: `set only one of them; the kubelet's documentation recommends fields`,
  })
  return { ...problem, severity: 'warning' }
}

function flagsOf(pool: Loaded<NodePoolSpec>, { FlagSet }: Draft['documents']): ReadonlyMap<string, Place> {
  const { flagSets = [], flags = {} } = pool.spec.kubelet ?? {}
  const found = new Map<string, Place>()
  for (const set of flagSets.flatMap((name) => FlagSet.get(name) ?? []))
    for (const flag of Object.keys(set.spec.flags)) found.set(flag, { document: set, path: ['flags', flag] })
  for (const flag of Object.keys(flags)) found.set(flag, { document: pool, path: ['kubelet', 'flags', flag] })
  return found
}

/** Every step of every field, by its lower-case path: a flag may stand for a whole map. */
function fieldsOf(pool: Loaded<NodePoolSpec>, { KubeletConfig }: Draft['documents']): ReadonlyMap<string, Place> {
  const found = new Map<string, Place>()
  const visit = (value: unknown, place: Place): void => {
    const key = place.path.slice(1).join('.').toLowerCase()
    // A later document takes out what an earlier one set.
    if (value === null) return void found.delete(key)
    if (key !== '') found.set(key, place)
    if (typeof value !== 'object' || Array.isArray(value)) return
    for (const [key, member] of Object.entries(value)) visit(member, { ...place, path: [...place.path, key] })
  }
  for (const document of (pool.spec.kubelet?.config ?? []).flatMap((name) => KubeletConfig.get(name) ?? []))
    visit(document.spec.config, { document, path: ['config'] })
  return found
}
