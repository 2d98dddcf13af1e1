import { parse } from 'yaml'
import type { Json, JsonObject } from '../json.ts'
import { isObject } from '../json.ts'
import { badRequest, unsupportedMediaType } from '../status-error.ts'
import { hasProtobuf, readProtobufObject, readProtobufOptions } from './read-protobuf.ts'
import type { ApiRequest, RequestBody } from './request.ts'

const PROTOBUF = 'application/vnd.kubernetes.protobuf'
const TEXT_TYPES = ['application/json', 'application/yaml']
const OBJECT_TYPES = [...TEXT_TYPES, PROTOBUF]

/** The object in the body. @throws {StatusError} 415, 400 */
export function readObject({ contentType, body, type }: Pick<ApiRequest, 'contentType' | 'body' | 'type'>): JsonObject {
  const media = mediaType(contentType)
  if (media === PROTOBUF && hasProtobuf(type)) return readProtobufObject(bytesOf(body), type)
  if (media !== '' && !TEXT_TYPES.includes(media)) throw unsupportedMediaType(hasProtobuf(type) ? OBJECT_TYPES : TEXT_TYPES)
  const problem = `the object provided is unrecognized (must be of type ${type.kind}): couldn't get version/kind; json parse error`
  const value = media === 'application/yaml' ? readYaml(body) : readJson(body, problem)
  if (!isObject(value)) throw badRequest(`${problem}: the body is not an object`)
  return value
}

/** Options of a deletion, or none. @throws {StatusError} 400 */
export function readOptions({ contentType, body }: Pick<ApiRequest, 'contentType' | 'body'>): JsonObject {
  if (isBytes(body) && body.length === 0) return {}
  if (mediaType(contentType) === PROTOBUF) return readProtobufOptions(bytesOf(body))
  const value = readJson(body, 'error decoding the options')
  return isObject(value) ? value : {}
}

function isBytes(body: RequestBody): body is Buffer {
  return Buffer.isBuffer(body)
}

function bytesOf(body: RequestBody): Buffer {
  return isBytes(body) ? body : Buffer.from(JSON.stringify(body.says))
}

export function mediaType(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase()
}

/** @param what opens the message: what could not be read. @throws {StatusError} 400 */
export function readJson(body: RequestBody, what: string): Json {
  if (!isBytes(body)) return body.says
  try {
    return JSON.parse(body.toString()) as Json
  } catch (cause) {
    throw badRequest(`${what}: ${(cause as Error).message}`)
  }
}

/** @throws {StatusError} 400 */
export function readYaml(body: RequestBody): Json {
  if (!isBytes(body)) return body.says
  try {
    return parse(body.toString(), { maxAliasCount: 0 }) as Json
  } catch (cause) {
    throw badRequest(`error decoding YAML: ${(cause as Error).message}`)
  }
}
