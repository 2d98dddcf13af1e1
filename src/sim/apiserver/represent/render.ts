import type { ApiObject } from '../api-object.ts'
import type { Json, JsonObject } from '../json.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { groupVersion } from '../resources/resource-type.ts'
import { StatusError } from '../status-error.ts'
import type { Entry } from '../storage/entry.ts'
import type { Representation } from './representation.ts'

export interface ListMeta {
  readonly resourceVersion: string
  readonly continue?: string
  readonly remainingItemCount?: number
}

/** JSON of one object in the wanted form. */
export function renderObject(entry: Entry, form: Representation, now: number, type: ResourceType): string {
  switch (form.as) {
    case 'object':
      return servedText(entry, type)
    case 'partial':
      if (form.list) throw new StatusError(500, '', 'content is not a list')
      return JSON.stringify(partial(entry.object, form.version))
    case 'table': {
      const { resourceVersion = '' } = entry.object.metadata
      return table([entry], { form, now, type, meta: { resourceVersion } })
    }
  }
}

/** JSON of a list in the wanted form; items come from text that is already made. */
export function renderList(
  entries: readonly Entry[],
  { form, now, type, meta }: { form: Representation; now: number; type: ResourceType; meta: ListMeta },
): string {
  if (form.as === 'table') return table(entries, { form, now, type, meta })
  if (form.as === 'partial') {
    if (!form.list)
      throw new StatusError(
        406,
        'NotAcceptable',
        `you requested PartialObjectMetadata, but the requested object is a list (${type.listKind})`,
      )
    const items = entries.map((entry) => partial(entry.object, form.version))
    return JSON.stringify({ kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${form.version}`, metadata: meta, items })
  }
  const head = JSON.stringify({ kind: type.listKind, apiVersion: groupVersion(type), metadata: meta })
  const items = entries.map((entry) => itemText(entry, type))
  return `${head.slice(0, -1)},"items":[${items.join(',')}]}`
}

/** Built-in kinds leave kind and apiVersion out of list items; custom resources have them. */
function itemText(entry: Entry, type: ResourceType): string {
  if (type.custom) return servedText(entry, type)
  if (!type.conversion) return entry.itemText
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = type.conversion.serve(entry.object)
  return JSON.stringify(rest)
}

function servedText(entry: Entry, type: ResourceType): string {
  return type.conversion ? JSON.stringify(type.conversion.serve(entry.object)) : entry.text
}

function partial(object: ApiObject, version: string): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata }
}

function table(
  entries: readonly Entry[],
  options: { form: Representation & { as: 'table' }; now: number; type: ResourceType; meta: ListMeta },
): string {
  const { form, now, type, meta } = options
  return JSON.stringify({
    kind: 'Table',
    apiVersion: `meta.k8s.io/${form.version}`,
    metadata: meta,
    columnDefinitions: type.columns.definitions,
    rows: entries.map((entry) => tableRow(entry.object, { form, now, type })),
  })
}

function tableRow(
  object: ApiObject,
  { form, now, type }: { form: Representation & { as: 'table' }; now: number; type: ResourceType },
): JsonObject {
  const cells = type.columns.cells(object, now) as readonly Json[]
  if (form.include === 'Object') return { cells, object: type.conversion?.serve(object) ?? object }
  return form.include === 'None' ? { cells, object: null } : { cells, object: partial(object, form.version) }
}
