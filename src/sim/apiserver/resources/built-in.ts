import { humanAge } from '../represent/human-duration.ts'
import type { TableColumns } from '../represent/table-columns.ts'
import { AGE_COLUMN, column, NAME_COLUMN } from '../represent/table-columns.ts'
import { coreSchema } from '../schema/core-schemas.ts'
import type { ResourceType, Rules } from './resource-type.ts'
import { groupVersion } from './resource-type.ts'

export interface BuiltIn {
  /** `v1`, `apps/v1` */
  readonly apiVersion: string
  readonly kind: string
  readonly plural: string
  readonly namespaced: boolean
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly hasStatus?: boolean
  readonly rules?: Rules
  readonly columns?: TableColumns
  readonly fields?: ResourceType['fields']
  readonly collection?: string
  readonly conversion?: ResourceType['conversion']
}

/** A resource that the server has from the start, with what is usual filled in. */
export function builtIn(given: BuiltIn): ResourceType {
  const [group, version] = given.apiVersion.includes('/') ? given.apiVersion.split('/') : ['', given.apiVersion]
  const names = { group: group ?? '', version: version ?? '' }
  return {
    ...names,
    plural: given.plural,
    singular: given.kind.toLowerCase(),
    kind: given.kind,
    listKind: `${given.kind}List`,
    namespaced: given.namespaced,
    shortNames: given.shortNames ?? [],
    categories: given.categories ?? [],
    schema: coreSchema(`${groupVersion(names)}/${given.kind}`),
    custom: false,
    hasStatus: given.hasStatus ?? false,
    rules: given.rules ?? {},
    columns: given.columns ?? PLAIN_COLUMNS,
    fields: given.fields ?? {},
    collection: given.collection ?? (group ? `${given.plural}.${group}` : given.plural),
    ...(given.conversion ? { conversion: given.conversion } : {}),
  }
}

/** Name and creation stamp: for kinds without columns of their own. */
export const PLAIN_COLUMNS: TableColumns = {
  definitions: [NAME_COLUMN, column('Created At', { type: 'date' })],
  cells: ({ metadata }) => [metadata.name ?? '', metadata.creationTimestamp ?? ''],
}

/** Columns between Name and Age. */
export function columnsWithAge(middle: TableColumns): TableColumns {
  return {
    definitions: [NAME_COLUMN, ...middle.definitions, AGE_COLUMN],
    cells: (object, now) => [
      object.metadata.name ?? '',
      ...middle.cells(object, now),
      humanAge(object.metadata.creationTimestamp, now),
    ],
  }
}

export const NAME_AND_AGE = columnsWithAge({ definitions: [], cells: () => [] })
