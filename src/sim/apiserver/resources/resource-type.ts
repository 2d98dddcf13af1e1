import type { ApiObject } from '../api-object.ts'
import type { TableColumns } from '../represent/table-columns.ts'
import type { Schema } from '../schema/schema.ts'
import type { FieldLabels } from '../selectors/field-selector.ts'
import type { Cause } from '../status-error.ts'

/** One resource at one version: how it is called, what it consists of, what the server does with it. */
export interface ResourceType {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly singular: string
  readonly kind: string
  readonly listKind: string
  readonly namespaced: boolean
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly schema: Schema
  /** By a CRD: validated by its schema, and without strategic merge patches. */
  readonly custom: boolean
  readonly hasStatus: boolean
  readonly rules: Rules
  readonly columns: TableColumns
  /** Besides metadata.name and metadata.namespace. */
  readonly fields: FieldLabels
  /** The store's collection; several versions of a kind share one. */
  readonly collection: string
  /** From and to the form in which the collection keeps it, when that is another version. */
  readonly conversion?: { readonly serve: (stored: ApiObject) => ApiObject; readonly keep: (served: ApiObject) => ApiObject }
}

/** What the server does of itself with objects of a kind. All steps are pure. */
export interface Rules {
  readonly onCreate?: (object: ApiObject) => ApiObject
  readonly onUpdate?: (next: ApiObject, old: ApiObject) => ApiObject
  readonly onStatusUpdate?: (next: ApiObject, old: ApiObject) => ApiObject
  readonly validate?: (next: ApiObject, old: ApiObject | undefined) => readonly Cause[]
  /** metadata.generation counts the changes of what people wish for. */
  readonly countsGenerations?: boolean
  /** A PUT to a name that is not there creates it. */
  readonly createOnUpdate?: boolean
  /** A PUT must carry the resourceVersion it is based on. */
  readonly needsRevision?: boolean
  /** A DELETE answers with the object, not with a Status. */
  readonly returnsDeleted?: boolean
  /** Deletion waits for a controller; how the object is meanwhile. */
  readonly onDelete?: (object: ApiObject) => ApiObject
  /** Objects that nobody may delete. */
  readonly keeps?: (object: ApiObject) => boolean
  /** Not stored: created, answered and forgotten (reviews). */
  readonly answer?: (object: ApiObject) => ApiObject
}

export function groupVersion(type: { readonly group: string; readonly version: string }): string {
  return type.group ? `${type.group}/${type.version}` : type.version
}
