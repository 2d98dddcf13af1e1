import { ALL, as, type Identity, NODE, OURS } from './policy-identities.ts'
import type { Body, RawClient } from './raw-client.ts'
import { APPLY, JSON_PATCH, MERGE, STRATEGIC } from './raw-client.ts'

export const NODES = '/api/v1/nodes'
export const RESOURCES = [`/${NODE}`, `/${NODE}/status`]
export const LABEL = `${OURS}/pool`

export interface Write {
  readonly method: string
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export type Part = 'annotations' | 'labels'

const before = Object.fromEntries(ALL.filter((key) => key !== `${OURS}/by-hand`).map((key) => [key, 'before']))

/** The Node that all is tried on. */
export const node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: NODE, annotations: { ...before, plain: 'elsewhere' }, labels: { [LABEL]: 'workers', other: 'before' } },
}

/** Every way to say the same: `key` has this value, or is gone when undefined. `stored` is the Node as the server has it. */
export function waysTo(
  { part, key, value }: { readonly part: Part; readonly key: string; readonly value: string | undefined },
  stored: Body,
): Readonly<Record<string, Write>> {
  const metadata = { [part]: { [key]: value ?? null } }
  const pointer = `/metadata/${part}/${key.replaceAll('/', '~1')}`
  const rest = Object.fromEntries(Object.entries(stored.metadata[part]).filter(([other]) => other !== key))
  const operation = value === undefined ? { op: 'remove', path: pointer } : { op: 'add', path: pointer, value }
  return {
    'merge patch': { method: 'PATCH', body: { metadata }, headers: MERGE },
    'strategic patch': { method: 'PATCH', body: { metadata }, headers: STRATEGIC },
    'JSON patch': { method: 'PATCH', body: [operation], headers: JSON_PATCH },
    update: replaced(stored, { [part]: value === undefined ? rest : { ...rest, [key]: value } }),
    ...(value !== undefined && {
      apply: { method: 'PATCH', body: { apiVersion: 'v1', kind: 'Node', metadata: { name: NODE, ...metadata } }, headers: APPLY },
    }),
  }
}

export function replaced(stored: Body, metadata: object): Write {
  return { method: 'PUT', body: { ...stored, metadata: { ...stored.metadata, resourceVersion: undefined, ...metadata } } }
}

/** The answer's code; nothing is kept of what was written. */
export async function codeOf(
  server: RawClient,
  identity: Identity,
  { resource, write }: { readonly resource: string; readonly write: Write },
): Promise<number> {
  const { method, body, headers = {} } = write
  const isApply = headers['content-type'] === APPLY['content-type']
  const query = `dryRun=All${isApply ? '&fieldManager=policy&force=true' : ''}`
  const { code } = await server.send(method, `${NODES}${resource}?${query}`, { body, headers: { ...headers, ...as(identity) } })
  return code
}
