import type { ApiObject } from '../api-object.ts'
import { objectAt, sameJson, textAt } from '../json.ts'
import { column } from '../represent/table-columns.ts'
import type { Cause } from '../status-error.ts'
import { builtIn, columnsWithAge } from './built-in.ts'

const MAX_BYTES = 1024 * 1024
const KEY = /^[-._a-zA-Z0-9]+$/

export const configMaps = builtIn({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
  shortNames: ['cm'],
  columns: columnsWithAge({ definitions: [column('Data')], cells: (map) => [entryCount(map, ['data', 'binaryData'])] }),
  rules: { validate: (next, old) => [...contentProblems(next, ['data', 'binaryData']), ...changeProblems(next, old)] },
})

export const secrets = builtIn({
  apiVersion: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
  columns: columnsWithAge({
    definitions: [column('Type'), column('Data')],
    cells: (secret) => [textAt(secret, 'type'), entryCount(secret, ['data'])],
  }),
  fields: { type: (secret) => textAt(secret, 'type') },
  rules: {
    onCreate: ({ stringData, ...secret }) => ({ type: 'Opaque', ...withStringData(secret as ApiObject, stringData as never) }),
    onUpdate: ({ stringData, ...secret }) => withStringData(secret as ApiObject, stringData as never),
    validate: (next, old) => [...contentProblems(next, ['data']), ...changeProblems(next, old)],
  },
})

function withStringData(secret: ApiObject, plain: Readonly<Record<string, string>> | undefined): ApiObject {
  if (!plain) return secret
  const encoded = Object.entries(plain).map(([key, value]) => [key, Buffer.from(value).toString('base64')])
  return { ...secret, data: { ...objectAt(secret, 'data'), ...Object.fromEntries(encoded) } }
}

function entryCount(object: ApiObject, members: readonly string[]): number {
  return members.reduce((count, member) => count + Object.keys(objectAt(object, member)).length, 0)
}

function contentProblems(next: ApiObject, members: readonly string[]): Cause[] {
  const causes: Cause[] = []
  let bytes = 0
  for (const member of members) {
    for (const [key, value] of Object.entries(objectAt(next, member))) {
      if (!KEY.test(key) || key.length > 253) causes.push(badKey(`${member}[${key}]`, key))
      bytes += Buffer.byteLength(String(value))
    }
  }
  if (bytes > MAX_BYTES)
    causes.push({ reason: 'FieldValueTooLong', message: `Too long: may not be more than ${MAX_BYTES} bytes`, field: '[]' })
  return causes
}

function badKey(field: string, key: string): Cause {
  const rule =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(key)}: ${rule}`, field }
}

/** An immutable object keeps its content, and stays immutable. */
function changeProblems(next: ApiObject, old: ApiObject | undefined): Cause[] {
  if (old?.immutable !== true) return []
  const because = 'field is immutable when `immutable` is set'
  const forbidden = (field: string): Cause => ({ reason: 'FieldValueForbidden', message: `Forbidden: ${because}`, field })
  const causes = next.immutable === true ? [] : [forbidden('immutable')]
  return [...causes, ...['data', 'binaryData'].filter((key) => !sameJson(next[key], old[key])).map(forbidden)]
}
