import type { ApiObject } from '../api-object.ts'
import { withMeta } from '../api-object.ts'
import type { Core } from '../core.ts'
import { stamp } from '../core.ts'
import type { Json, JsonObject } from '../json.ts'
import { arrayAt, isObject, objectAt, textAt } from '../json.ts'
import { humanAge } from '../represent/human-duration.ts'
import { column, NAME_COLUMN } from '../represent/table-columns.ts'
import { builtIn } from '../resources/built-in.ts'
import { SPEC_AND_STATUS } from '../resources/workloads.ts'
import type { Cause } from '../status-error.ts'
import type { StoredChange } from '../storage/change.ts'
import { collectionOf, customTypes } from './custom-type.ts'

export const definitions = builtIn({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  hasStatus: true,
  rules: {
    ...SPEC_AND_STATUS,
    onCreate: (definition) => ({
      ...definition,
      spec: withDefaults(objectAt(definition, 'spec')),
      status: emptyStatus(objectAt(definition, 'spec')),
    }),
    onUpdate: (next, old) => ({
      ...next,
      spec: withDefaults(objectAt(next, 'spec')),
      ...(old.status ? { status: old.status } : {}),
    }),
    validate: problems,
    returnsDeleted: true,
  },
  columns: {
    definitions: [NAME_COLUMN, column('Created At', { type: 'date' })],
    cells: ({ metadata }, now) => [metadata.name ?? '', metadata.creationTimestamp ?? humanAge(undefined, now)],
  },
})

function emptyStatus(spec: JsonObject): JsonObject {
  return {
    conditions: null,
    acceptedNames: { plural: '', kind: '' },
    storedVersions: arrayAt(spec, 'versions').flatMap(storedName),
  }
}

function storedName(version: Json): readonly string[] {
  return isObject(version) && version.storage === true ? [textAt(version, 'name')] : []
}

function withDefaults(spec: JsonObject): JsonObject {
  const names = objectAt(spec, 'names')
  const kind = textAt(names, 'kind')
  return {
    ...spec,
    names: {
      ...names,
      listKind: textAt(names, 'listKind') || `${kind}List`,
      singular: textAt(names, 'singular') || kind.toLowerCase(),
    },
    conversion: isObject(spec.conversion) ? spec.conversion : { strategy: 'None' },
  }
}

/** What would make a definition unservable. A small part of what Kubernetes checks. */
function problems(definition: ApiObject): Cause[] {
  const spec = objectAt(definition, 'spec')
  const versions = arrayAt(spec, 'versions') as readonly JsonObject[]
  const causes: Cause[] = []
  const invalid = (field: string, value: Json, why: string) =>
    causes.push({ reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value)}: ${why}`, field })
  const name = definition.metadata.name ?? ''
  if (name !== collectionOf(definition)) invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group')
  for (const [field, value] of [
    ['spec.group', spec.group],
    ['spec.names.plural', objectAt(spec, 'names').plural],
    ['spec.names.kind', objectAt(spec, 'names').kind],
  ] as const)
    if (!value) causes.push({ reason: 'FieldValueRequired', message: 'Required value', field })
  if (spec.scope !== 'Namespaced' && spec.scope !== 'Cluster')
    causes.push({
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${JSON.stringify(spec.scope ?? '')}: supported values: "Cluster", "Namespaced"`,
      field: 'spec.scope',
    })
  if (versions.filter((version) => version.storage === true).length !== 1)
    invalid('spec.versions', versions, 'must have exactly one version marked as storage version')
  versions.forEach((version, index) => {
    if (!isObject(objectAt(version, 'schema').openAPIV3Schema))
      causes.push({
        reason: 'FieldValueRequired',
        message: 'Required value',
        field: `spec.versions[${index}].schema.openAPIV3Schema`,
      })
  })
  return causes
}

/** Lets definitions take effect: a new one is established and served at once, a deleted one takes its objects with it. */
export function serveDefinitions(core: Core): void {
  core.registry.add(definitions)
  core.store.collection(definitions.collection).listen((change) => takeEffect(core, change))
}

function takeEffect(core: Core, { type, entry }: StoredChange): void {
  const definition = entry.object
  const spec = objectAt(definition, 'spec')
  core.registry.drop(textAt(spec, 'group'), textAt(objectAt(spec, 'names'), 'plural'))
  if (type === 'DELETED') {
    removeObjects(core, collectionOf(definition))
    return
  }
  for (const served of customTypes(definition)) core.registry.add(served)
  core.store.collection(collectionOf(definition))
  if (arrayAt(objectAt(definition, 'status'), 'conditions').length === 0)
    core.store.put(definitions.collection, established(core, definition))
}

function established(core: Core, definition: ApiObject): ApiObject {
  const spec = objectAt(definition, 'spec')
  const lastTransitionTime = stamp(core.now())
  const condition = (type: string, reason: string, message: string) => ({
    type,
    status: 'True',
    lastTransitionTime,
    reason,
    message,
  })
  const storage = (arrayAt(spec, 'versions') as readonly JsonObject[]).find((version) => version.storage === true)
  return {
    ...withMeta(definition, {}),
    status: {
      conditions: [
        condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
        condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
      ],
      acceptedNames: objectAt(spec, 'names'),
      storedVersions: [textAt(storage, 'name')],
    },
  }
}

function removeObjects(core: Core, name: string): void {
  const collection = core.store.collection(name)
  for (const entry of collection.sorted()) core.store.remove(name, entry.key)
  core.watches.endAll(collection)
}
