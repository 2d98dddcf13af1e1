import { parse } from 'yaml'
import type { Json, JsonObject } from '../json.ts'
import { isObject } from '../json.ts'
import { badRequest, unsupportedMediaType } from '../status-error.ts'
import type { ApiRequest } from './request.ts'

const OBJECT_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']

/** The object in the body. @throws {StatusError} 415, 400 */
export function readObject({ contentType, body, type }: Pick<ApiRequest, 'contentType' | 'body' | 'type'>): JsonObject {
  const media = mediaType(contentType)
  if (media !== '' && media !== 'application/json' && media !== 'application/yaml') throw unsupportedMediaType(OBJECT_TYPES)
  const problem = `the object provided is unrecognized (must be of type ${type.kind}): couldn't get version/kind; json parse error`
  const value = media === 'application/yaml' ? readYaml(body) : readJson(body, problem)
  if (!isObject(value)) throw badRequest(`${problem}: the body is not an object`)
  return value
}

/** Options of a deletion, or none. @throws {StatusError} 400 */
export function readOptions({ body }: Pick<ApiRequest, 'body'>): JsonObject {
  if (body.length === 0) return {}
  const value = readJson(body, 'error decoding the options')
  return isObject(value) ? value : {}
}

export function mediaType(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase()
}

/** @param what opens the message: what could not be read. @throws {StatusError} 400 */
export function readJson(body: string, what: string): Json {
  try {
    return JSON.parse(body) as Json
  } catch (cause) {
    throw badRequest(`${what}: ${(cause as Error).message}`)
  }
}

/** @throws {StatusError} 400 */
export function readYaml(body: string): Json {
  try {
    return parse(body, { maxAliasCount: 0 }) as Json
  } catch (cause) {
    throw badRequest(`error decoding YAML: ${(cause as Error).message}`)
  }
}
