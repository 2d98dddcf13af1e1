import { own } from '../../../protocol/own.ts'
import type { ApiObject, StringMap } from '../api-object.ts'
import type { JsonObject } from '../json.ts'
import type { Cause } from '../status-error.ts'

const SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/
const NAME_PART = /^(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/
const LABEL_VALUE = /^(?:(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/
const MAX_ANNOTATIONS = 256 * 1024

const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const NAME_RULE =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

/**
 * What is wrong with an object's metadata, whatever its kind.
 * @param old the version before, in which nothing is: what is in both was checked before
 */
export function metaProblems({ metadata }: ApiObject, old?: ApiObject): Cause[] {
  const { name = '', labels = {}, annotations = {} } = metadata
  const before = old?.metadata ?? {}
  const causes: Cause[] = []
  if (name !== before.name && !SUBDOMAIN.test(name)) causes.push(bad('metadata.name', name, SUBDOMAIN_RULE))
  if (name.length > 253) causes.push(bad('metadata.name', name, 'must be no more than 253 characters'))
  for (const [key, value] of labels === before.labels ? [] : Object.entries(labels)) {
    if (before.labels && own(before.labels, key) === value) continue
    causes.push(...keyProblems('metadata.labels', key))
    if (!LABEL_VALUE.test(value)) causes.push(bad('metadata.labels', value, VALUE_RULE))
    if (value.length > 63) causes.push(bad('metadata.labels', value, 'must be no more than 63 characters'))
  }
  for (const key of Object.keys(annotations))
    if (!before.annotations || own(before.annotations, key) === undefined)
      causes.push(...keyProblems('metadata.annotations', key))
  causes.push(...ownerProblems(metadata.ownerReferences ?? []))
  if (isTooLarge(annotations))
    causes.push({
      reason: 'FieldValueTooLong',
      message: `Too long: may not be more than ${MAX_ANNOTATIONS} bytes`,
      field: 'metadata.annotations',
    })
  return causes
}

/** A character has three bytes at most: of few, nobody needs to count them. */
function isTooLarge(annotations: StringMap): boolean {
  let characters = 0
  for (const key of Object.keys(annotations)) characters += key.length + (annotations[key]?.length ?? 0)
  return characters * 3 > MAX_ANNOTATIONS && sizeOf(annotations) > MAX_ANNOTATIONS
}

function sizeOf(annotations: StringMap): number {
  return Object.entries(annotations).reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0)
}

function ownerProblems(owners: readonly JsonObject[]): Cause[] {
  return owners.flatMap((owner) =>
    ['apiVersion', 'kind', 'name', 'uid']
      .filter((key) => !owner[key])
      .map((key) => bad(`metadata.ownerReferences.${key}`, '', `${key === 'apiVersion' ? 'version ' : ''}must not be empty`)),
  )
}

function keyProblems(field: string, key: string): Cause[] {
  const parts = key.split('/')
  const name = parts.at(-1) ?? ''
  const prefix = parts.length > 1 ? parts[0] : undefined
  if (parts.length > 2)
    return [
      bad(
        field,
        key,
        `a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
      ),
    ]
  const causes: Cause[] = []
  if (prefix === '') causes.push(bad(field, key, 'prefix part must be non-empty'))
  else if (prefix !== undefined && !SUBDOMAIN.test(prefix.toLowerCase()))
    causes.push(bad(field, key, `prefix part ${SUBDOMAIN_RULE}`))
  if (name === '') causes.push(bad(field, key, 'name part must be non-empty'))
  else if (name.length > 63) causes.push(bad(field, key, 'name part must be no more than 63 characters'))
  if (!NAME_PART.test(name)) causes.push(bad(field, key, NAME_RULE))
  return causes
}

function bad(field: string, value: string, rule: string): Cause {
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value)}: ${rule}`, field }
}
