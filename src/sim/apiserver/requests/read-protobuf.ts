import type { JsonObject } from '../json.ts'
import { isObject } from '../json.ts'
import { decodeMessage } from '../protobuf/decode-message.ts'
import { type Envelope, openEnvelope } from '../protobuf/envelope.ts'
import { messageOf } from '../protobuf/fields.ts'
import { WireError } from '../protobuf/wire-reader.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { groupVersion } from '../resources/resource-type.ts'
import { badRequest } from '../status-error.ts'

/** How many bytes of a body an error shows. */
const SHOWN = 30

/** Custom resources have none, and their definitions none here. */
export function hasProtobuf(type: ResourceType): boolean {
  return messageOf(`${groupVersion(type)}/${type.kind}`) !== undefined
}

/** The object in a body of protobuf, of whatever kind it says. @throws {StatusError} 400 */
export function readProtobufObject(body: Buffer, type: ResourceType): JsonObject {
  const { apiVersion, kind, raw } = openedObject(body, type)
  const version = apiVersion.split('/').at(-1)
  const refused = (why: string) => badRequest(`${kind} in version "${version}" cannot be handled as a ${type.kind}: ${why}`)
  const message = messageOf(`${apiVersion}/${kind}`)
  return { apiVersion, kind, ...(message && decodedOr(refused, raw, message)) }
}

/** @throws {StatusError} 400 */
export function readProtobufOptions(body: Buffer): JsonObject {
  const { kind, raw } = wireErrorsAs(badRequest, () => openEnvelope(body))
  if (kind !== '' && kind !== 'DeleteOptions') throw badRequest('decoded object cannot be converted to DeleteOptions')
  return decodedOr(badRequest, raw, messageOf('v1/DeleteOptions') ?? '')
}

/** What the envelope does not say, the path does. */
function openedObject(body: Buffer, type: ResourceType): Envelope {
  const unrecognized = (why: string) =>
    badRequest(`the object provided is unrecognized (must be of type ${type.kind}): ${why} (${summaryOf(body)})`)
  const { apiVersion, kind, raw } = wireErrorsAs(unrecognized, () => openEnvelope(body))
  return { apiVersion: apiVersion || groupVersion(type), kind: kind || type.kind, raw }
}

/** The first bytes of a body, as text where it looks like JSON. */
function summaryOf(body: Buffer): string {
  if (body.length === 0) return '<empty>'
  const shown = body.toString(body[0] === 0x7b ? 'utf8' : 'hex', 0, SHOWN)
  return body.length > SHOWN ? `${shown} ...` : shown
}

function decodedOr(refused: (why: string) => Error, raw: Buffer, message: string): JsonObject {
  const value = wireErrorsAs(refused, () => decodeMessage(raw, message))
  return isObject(value) ? value : {}
}

function wireErrorsAs<T>(refused: (why: string) => Error, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof WireError ? refused(error.message) : error
  }
}
