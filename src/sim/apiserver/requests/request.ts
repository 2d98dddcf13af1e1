import type { ApiObject } from '../api-object.ts'
import type { Json } from '../json.ts'
import type { Representation } from '../represent/representation.ts'
import type { ResourceType } from '../resources/resource-type.ts'

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection'

/** A request for a resource, read from method, URL and headers. */
export interface ApiRequest {
  readonly verb: Verb
  readonly type: ResourceType
  /** Empty for cluster-scoped resources, and for all namespaces. */
  readonly namespace: string
  /** Empty for the whole collection. */
  readonly name: string
  readonly subresource: '' | 'status' | 'eviction'
  readonly query: URLSearchParams
  readonly contentType: string
  readonly userAgent: string
  readonly body: RequestBody
  readonly form: Representation
}

/** Bytes from another process, of which none are no body; from the same process what they would say. */
export type RequestBody = Buffer | { readonly says: Json }

export interface ApiResponse {
  readonly code: number
  /** JSON, unless contentType says otherwise. */
  readonly text: string
  /** What `text` says, where that is one whole object: shared with the store, and not to be changed. */
  readonly object?: ApiObject | undefined
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
  /** For the Warning header. */
  readonly warnings?: readonly string[] | undefined
}
