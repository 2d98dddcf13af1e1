import type { ApiObject } from '../../api-object.ts'
import type { JsonObject } from '../../json.ts'
import { isObject, objectAt, sameJson, textAt } from '../../json.ts'
import type { Schema } from '../../schema/schema.ts'
import { StatusError } from '../../status-error.ts'
import type { FieldSet } from './field-set.ts'
import { commonLeaves, withoutPaths } from './field-set.ts'
import { valueAt } from './merge-applied.ts'

/** Who applied which fields. Only server-side apply is recorded; other writes leave the record as it is. */
export interface Manager {
  readonly name: string
  readonly subresource: string
  readonly time: string
  readonly fields: FieldSet
}

export function managersOf(object: ApiObject): Manager[] {
  return (object.metadata.managedFields ?? []).filter(isObject).map((entry) => ({
    name: textAt(entry, 'manager'),
    subresource: textAt(entry, 'subresource'),
    time: textAt(entry, 'time'),
    fields: objectAt(entry, 'fieldsV1'),
  }))
}

export function managedFields(managers: readonly Manager[], apiVersion: string): readonly JsonObject[] {
  return managers
    .filter(({ fields }) => Object.keys(fields).length > 0)
    .map(({ name, subresource, time, fields }) => ({
      manager: name,
      operation: 'Apply',
      apiVersion,
      time,
      fieldsType: 'FieldsV1',
      fieldsV1: fields,
      ...(subresource ? { subresource } : {}),
    }))
}

export interface ApplyInput {
  readonly fields: FieldSet
  readonly live: ApiObject
  readonly applied: JsonObject
  readonly schema: Schema
  readonly force: boolean
}

/**
 * The other managers, after this claim: with force they lose what is to change.
 * @throws {StatusError} 409 naming every field that another manager set to something else, unless forced
 */
export function settleConflicts(others: readonly Manager[], claim: ApplyInput): readonly Manager[] {
  const contested = others.map((manager) => ({ manager, paths: conflicting(manager, claim) }))
  if (claim.force) return contested.map(({ manager, paths }) => ({ ...manager, fields: withoutPaths(manager.fields, paths) }))
  const causes = contested.flatMap(({ manager, paths }) =>
    paths.map((path) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${JSON.stringify(manager.name)}`,
      field: shown(path),
    })),
  )
  if (causes.length === 0) return others
  const first =
    causes.length === 1
      ? `1 conflict: ${causes[0]?.message}: ${causes[0]?.field}`
      : `${causes.length} conflicts: ${listed(causes)}`
  throw new StatusError(409, 'Conflict', `Apply failed with ${first}`, { details: { causes } })
}

function conflicting(manager: Manager, { fields, live, applied, schema }: ApplyInput): (readonly string[])[] {
  return commonLeaves(fields, manager.fields).filter(
    (path) => !sameJson(valueAt(live, path, schema), valueAt(applied, path, schema)),
  )
}

function listed(causes: readonly { readonly message: string; readonly field: string }[]): string {
  const byMessage = Map.groupBy(causes, (cause) => cause.message)
  return [...byMessage].map(([message, group]) => `${message}:\n${group.map(({ field }) => `- ${field}`).join('\n')}`).join('\n')
}

function shown(path: readonly string[]): string {
  return path
    .map((step) =>
      step.startsWith('f:')
        ? `.${step.slice(2)}`
        : `[${step
            .slice(2)
            .replace(/^\{|\}$/g, '')
            .replace(':', '=')}]`,
    )
    .join('')
}
