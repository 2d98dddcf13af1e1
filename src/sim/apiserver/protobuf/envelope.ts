import { isObject, textAt } from '../json.ts'
import { decodeMessage } from './decode-message.ts'
import { WireError } from './wire-reader.ts'

/** What Kubernetes wraps around each message. */
export interface Envelope {
  /** Empty when the sender leaves it to the path. */
  readonly apiVersion: string
  readonly kind: string
  readonly raw: Buffer
}

const PREFIX = Buffer.from('k8s\0')

/** @throws {WireError} */
export function openEnvelope(body: Buffer): Envelope {
  if (body.length === 0) throw new WireError('empty data')
  if (!body.subarray(0, PREFIX.length).equals(PREFIX))
    throw new WireError(`provided data does not appear to be a protobuf message, expected prefix [${PREFIX.join(' ')}]`)
  if (body.length === PREFIX.length) throw new WireError('empty body')
  const unknown = decodeMessage(body.subarray(PREFIX.length), 'pkg.runtime.Unknown')
  const fields = isObject(unknown) ? unknown : {}
  return {
    apiVersion: textAt(fields, 'apiVersion'),
    kind: textAt(fields, 'kind'),
    raw: Buffer.from(textAt(fields, 'raw'), 'base64'),
  }
}
