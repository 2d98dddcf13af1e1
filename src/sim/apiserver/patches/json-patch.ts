import type { Json, JsonObject } from '../json.ts'
import { isArray, isObject, sameJson } from '../json.ts'

/** The document does not let the operation be done: a missing path, a failed test. */
export class JsonPatchError extends Error {
  override readonly name = 'JsonPatchError'
}

/**
 * JSON patch, RFC 6902; all operations or none.
 * @throws {JsonPatchError}
 */
export function jsonPatch(document: Json, operations: readonly JsonObject[]): Json {
  return operations.reduce<Json>(applyOperation, document)
}

function applyOperation(document: Json, operation: JsonObject): Json {
  const path = pointer(operation.path)
  switch (operation.op) {
    case 'add':
      return change(document, path, { insert: givenValue(operation) })
    case 'replace':
      // As the API server's library: the last member need not be there.
      read(document, path.slice(0, -1))
      return change(document, path, { replace: givenValue(operation) })
    case 'remove':
      read(document, path)
      return change(document, path, 'remove')
    case 'test':
      if (!sameJson(readOr(document, path, null), operation.value ?? null))
        throw new JsonPatchError(`testing value ${String(operation.path)} failed`)
      return document
    case 'copy':
      return change(document, path, { insert: read(document, pointer(operation.from)) })
    case 'move': {
      const from = pointer(operation.from)
      const value = read(document, from)
      return change(change(document, from, 'remove'), path, { insert: value })
    }
    default:
      throw new JsonPatchError(`Unexpected kind: ${String(operation.op)}`)
  }
}

function givenValue(operation: JsonObject): Json {
  if (operation.value === undefined) throw new JsonPatchError(`missing value of operation ${String(operation.op)}`)
  return operation.value
}

function pointer(path: Json | undefined): string[] {
  if (typeof path !== 'string' || (path !== '' && !path.startsWith('/')))
    throw new JsonPatchError(`missing or malformed path: ${JSON.stringify(path)}`)
  return path
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function read(document: Json, path: readonly string[]): Json {
  let found: Json | undefined = document
  for (const token of path) {
    if (isArray(found)) found = found[position(token, found.length - 1)]
    else found = isObject(found) && Object.hasOwn(found, token) ? found[token] : undefined
    if (found === undefined) throw new JsonPatchError(`missing path /${path.join('/')}`)
  }
  return found
}

function readOr(document: Json, path: readonly string[], fallback: Json): Json {
  try {
    return read(document, path)
  } catch {
    return fallback
  }
}

type Edit = { readonly insert: Json } | { readonly replace: Json } | 'remove'

function change(document: Json, path: readonly string[], edit: Edit): Json {
  const [token, ...rest] = path
  if (token === undefined) {
    if (edit === 'remove') throw new JsonPatchError('cannot remove the whole document')
    return 'insert' in edit ? edit.insert : edit.replace
  }
  if (isArray(document)) return changeArray(document, { token, rest, edit })
  if (!isObject(document)) throw new JsonPatchError(`missing path /${path.join('/')}`)
  if (rest.length > 0) {
    const member = document[token]
    if (member === undefined) throw new JsonPatchError(`missing path /${path.join('/')}`)
    return { ...document, [token]: change(member, rest, edit) }
  }
  if (edit !== 'remove') return { ...document, [token]: 'insert' in edit ? edit.insert : edit.replace }
  const { [token]: _removed, ...others } = document
  return others as JsonObject
}

function changeArray(array: readonly Json[], at: { token: string; rest: readonly string[]; edit: Edit }): Json {
  const { token, rest, edit } = at
  if (rest.length > 0) {
    const index = position(token, array.length - 1)
    return array.with(index, change(array[index] as Json, rest, edit))
  }
  if (edit === 'remove') return array.toSpliced(position(token, array.length - 1), 1)
  if ('replace' in edit) return array.with(position(token, array.length - 1), edit.replace)
  return array.toSpliced(token === '-' ? array.length : position(token, array.length), 0, edit.insert)
}

function position(token: string, last: number): number {
  const index = /^(?:0|[1-9]\d{0,8})$/.test(token) ? Number(token) : -1
  if (index < 0 || index > last) throw new JsonPatchError(`index "${token}" is out of bounds`)
  return index
}
