import type { ApiObject } from '../api-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { arrayAt, isObject, objectAt, textAt } from '../json.ts'
import type { ResourceType, Rules } from '../resources/resource-type.ts'
import { META_SCHEMA } from '../schema/core-schemas.ts'
import type { Schema } from '../schema/schema.ts'
import { ANYTHING } from '../schema/schema.ts'
import { valueAtPath } from './json-path.ts'
import { printerColumns } from './printer-columns.ts'

/** The resources that a CustomResourceDefinition serves, one a version. Versions differ in apiVersion and schema only. */
export function customTypes(definition: ApiObject): ResourceType[] {
  const versions = (arrayAt(objectAt(definition, 'spec'), 'versions') as readonly JsonObject[]).filter(
    (version) => version.served === true,
  )
  return versions.map((version) => customType(definition, version))
}

function customType(definition: ApiObject, version: JsonObject): ResourceType {
  const spec = objectAt(definition, 'spec')
  const names = objectAt(spec, 'names')
  const [group, kind, name] = [textAt(spec, 'group'), textAt(names, 'kind'), textAt(version, 'name')]
  const hasStatus = isObject(objectAt(version, 'subresources').status)
  const stored = storageVersion(spec)
  return {
    group,
    version: name,
    plural: textAt(names, 'plural'),
    singular: textAt(names, 'singular') || kind.toLowerCase(),
    kind,
    listKind: textAt(names, 'listKind') || `${kind}List`,
    namespaced: spec.scope === 'Namespaced',
    shortNames: arrayAt(names, 'shortNames').map(String),
    categories: arrayAt(names, 'categories').map(String),
    schema: rootSchema(objectAt(version, 'schema').openAPIV3Schema),
    custom: true,
    hasStatus,
    rules: rules(hasStatus),
    columns: printerColumns(arrayAt(version, 'additionalPrinterColumns') as readonly JsonObject[]),
    fields: selectableFields(version),
    collection: collectionOf(definition),
    ...(name === stored ? {} : { conversion: asVersion(group, { served: name, stored }) }),
  }
}

/** `<plural>.<group>`, which is also the name a definition must have. */
export function collectionOf(definition: ApiObject): string {
  const spec = objectAt(definition, 'spec')
  return `${textAt(objectAt(spec, 'names'), 'plural')}.${textAt(spec, 'group')}`
}

function storageVersion(spec: JsonObject): string {
  const versions = arrayAt(spec, 'versions') as readonly JsonObject[]
  return textAt(
    versions.find((version) => version.storage === true),
    'name',
  )
}

function asVersion(
  group: string,
  { served, stored }: { served: string; stored: string },
): NonNullable<ResourceType['conversion']> {
  return {
    serve: (object) => ({ ...object, apiVersion: `${group}/${served}` }),
    keep: (object) => ({ ...object, apiVersion: `${group}/${stored}` }),
  }
}

function rootSchema(given: Json | undefined): Schema {
  const schema = isObject(given) ? (given as unknown as Schema) : ANYTHING
  const text: Schema = { type: 'string' }
  return { ...schema, properties: { ...schema.properties, apiVersion: text, kind: text, metadata: META_SCHEMA } }
}

function rules(hasStatus: boolean): Rules {
  const withStatus = (object: ApiObject, status: Json | undefined): ApiObject => {
    const { status: _status, ...rest } = object
    return (status === undefined ? rest : { ...rest, status }) as ApiObject
  }
  const apart: Rules = {
    onCreate: (object) => withStatus(object, undefined),
    onUpdate: (next, old) => withStatus(next, old.status),
    onStatusUpdate: (next, old) => onlyStatus(next, old, withStatus),
  }
  return { countsGenerations: true, needsRevision: true, ...(hasStatus ? apart : {}) }
}

/** The status subresource of a custom resource changes nothing else, not even labels; only the record of who applied it. */
function onlyStatus(
  next: ApiObject,
  old: ApiObject,
  withStatus: (object: ApiObject, status: Json | undefined) => ApiObject,
): ApiObject {
  const { managedFields } = next.metadata
  const metadata =
    managedFields === old.metadata.managedFields ? old.metadata : { ...old.metadata, managedFields: managedFields ?? [] }
  return withStatus({ ...old, metadata }, next.status)
}

function selectableFields(version: JsonObject): ResourceType['fields'] {
  const paths = (arrayAt(version, 'selectableFields') as readonly JsonObject[]).map((field) => textAt(field, 'jsonPath'))
  return Object.fromEntries(
    paths.map((path) => [path.replace(/^\./, ''), (object: ApiObject) => String(valueAtPath(object, path)[0] ?? '')]),
  )
}
