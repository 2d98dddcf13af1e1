import { notAcceptable } from '../status-error.ts'

/** In which form the client wants objects and lists. */
export type Representation =
  | { readonly as: 'object' }
  | { readonly as: 'partial'; readonly version: 'v1' | 'v1beta1'; readonly list: boolean }
  | { readonly as: 'table'; readonly version: 'v1' | 'v1beta1'; readonly include: 'None' | 'Metadata' | 'Object' }

export const PLAIN: Representation = { as: 'object' }

const AVAILABLE = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
]
const JSON_TYPES = ['application/json', 'application/*', '*/*']

/**
 * The first clause of an Accept header that this server can answer.
 * @throws {StatusError} 406, 400 for an unknown includeObject
 */
export function negotiate(accept: string | undefined, include: string | null): Representation {
  if (!accept) return PLAIN
  for (const clause of accept.split(',')) {
    const [type = '', ...parameters] = clause.split(';').map((part) => part.trim())
    if (!JSON_TYPES.includes(type)) continue
    const found = representationOf(new Map(parameters.map((parameter) => parameter.split('=', 2) as [string, string])), include)
    if (found) return found
  }
  throw notAcceptable(AVAILABLE)
}

function representationOf(parameters: ReadonlyMap<string, string>, include: string | null): Representation | undefined {
  const as = parameters.get('as')
  if (as === undefined) return PLAIN
  const version = parameters.get('v')
  if (parameters.get('g') !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return undefined
  if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList')
    return { as: 'partial', version, list: as === 'PartialObjectMetadataList' }
  if (as !== 'Table') return undefined
  return { as: 'table', version, include: include === 'None' || include === 'Object' ? include : 'Metadata' }
}

/** Equal for equal forms: what is serialised once per form is kept under it. */
export function formKey(form: Representation): string {
  return form.as === 'object' ? 'object' : `${form.as}/${form.version}/${form.as === 'table' ? form.include : ''}`
}
