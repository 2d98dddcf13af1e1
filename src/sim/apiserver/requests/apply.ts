import type { ApiObject } from '../api-object.ts'
import { keyOf, withMeta } from '../api-object.ts'
import type { Core } from '../core.ts'
import { stamp } from '../core.ts'
import type { JsonObject } from '../json.ts'
import { isObject, sameJson } from '../json.ts'
import { difference, fieldsOf } from '../patches/apply/field-set.ts'
import type { Manager } from '../patches/apply/managers.ts'
import { managedFields, managersOf, settleConflicts } from '../patches/apply/managers.ts'
import { mergeApplied, removeFields } from '../patches/apply/merge-applied.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { groupVersion } from '../resources/resource-type.ts'
import { badRequest, invalid, notFound } from '../status-error.ts'
import { createObject } from '../writes/create-object.ts'
import { decodeObject } from '../writes/decode-object.ts'
import { updateObject } from '../writes/update-object.ts'
import { writeOptions } from '../writes/write-options.ts'
import { answerWith } from './get.ts'
import { readYaml } from './read-body.ts'
import type { ApiRequest, ApiResponse } from './request.ts'

/**
 * Server-side apply: the fields of the configuration are set and recorded as the manager's; those that it applied before and
 * leaves out now go, unless another manager applied them too. Fields set by other kinds of writes have no recorded owner here.
 */
export function apply(core: Core, request: ApiRequest): ApiResponse {
  const { type, namespace, name, subresource } = request
  const options = writeOptions(request)
  if (!request.query.get('fieldManager')) throw missingManager()
  const warnings: string[] = []
  const config = readConfig(request)
  const stored = core.store.collection(type.collection).get(keyOf(namespace, name))
  if (!stored && subresource) throw notFound(type, name)
  const applied = decodeObject(config, { type, options, warnings })
  const claim: ClaimOf = { config: applied, manager: options.manager, subresource, force: options.force, time: stamp(core.now()) }
  if (!stored) {
    const created = withManager(applied, claim, { type, others: [] })
    return answerWith(core, request, {
      entry: createObject(core, created, { type, namespace, dryRun: options.dryRun }),
      code: 201,
      warnings,
    })
  }
  const next = applyOver(stored.object, claim, type)
  const entry = updateObject(core, { old: stored, next }, { type, subresource, dryRun: options.dryRun })
  return answerWith(core, request, { entry, code: 200, warnings })
}

interface ClaimOf {
  readonly config: ApiObject
  readonly manager: string
  readonly subresource: string
  readonly force: boolean
  readonly time: string
}

function applyOver(live: ApiObject, claim: ClaimOf, type: ResourceType): ApiObject {
  const managers = managersOf(live)
  const mine = managers.find((manager) => isSame(manager, claim))
  const fields = fieldsOf(claim.config, type.schema)
  const others = settleConflicts(
    managers.filter((manager) => manager !== mine),
    { fields, live, applied: claim.config, schema: type.schema, force: claim.force },
  )
  const dropped = others.reduce((left, other) => difference(left, other.fields), difference(mine?.fields ?? {}, fields))
  const pruned = removeFields(live, dropped, type.schema)
  const merged = mergeApplied(pruned, claim.config, type.schema) as ApiObject
  const unchanged = mine !== undefined && sameJson(merged, live) && sameJson(fields, mine.fields)
  return withManager(merged, unchanged ? { ...claim, time: mine.time } : claim, { type, others })
}

function withManager(
  object: ApiObject,
  claim: ClaimOf,
  { type, others }: { type: ResourceType; others: readonly Manager[] },
): ApiObject {
  const mine = {
    name: claim.manager,
    subresource: claim.subresource,
    time: claim.time,
    fields: fieldsOf(claim.config, type.schema),
  }
  return withMeta(object, { managedFields: managedFields([...others, mine], groupVersion(type)) })
}

function isSame(manager: Manager, claim: ClaimOf): boolean {
  return manager.name === claim.manager && manager.subresource === claim.subresource
}

function readConfig({ body, name }: ApiRequest): JsonObject {
  const config = readYaml(body)
  if (!isObject(config)) throw badRequest('error decoding YAML: the body is not an object')
  if (!config.apiVersion || !config.kind)
    throw badRequest(
      `invalid object type: ${config.apiVersion ? String(config.apiVersion) : '/'}, Kind=${String(config.kind ?? '')}`,
    )
  const metadata = isObject(config.metadata) ? config.metadata : {}
  if (metadata.managedFields !== undefined && metadata.managedFields !== null)
    throw badRequest('metadata.managedFields must be nil')
  const own = metadata.name ?? name
  if (own !== name) throw badRequest(`the name of the object (${String(own)}) does not match the name on the URL (${name})`)
  return { ...config, metadata: { ...metadata, name } }
}

function missingManager(): Error {
  const message = 'Required value: is required for apply patch'
  return invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [
    { reason: 'FieldValueRequired', message, field: 'fieldManager' },
  ])
}
