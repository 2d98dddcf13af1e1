import { readProtobufObject, readProtobufOptions } from '../../../src/sim/apiserver/requests/read-protobuf.ts'
import { configMaps } from '../../../src/sim/apiserver/resources/config-maps.ts'
import { refuses } from './expected.ts'

const HEADER = Buffer.from('k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod')

/** A body of a request to the embedded API server; and a message, in an envelope that is whole. */
export function protobuf(input: Buffer): void {
  refuses(['StatusError'], () => readProtobufObject(input, configMaps))
  refuses(['StatusError'], () => readProtobufOptions(input))
  refuses(['StatusError'], () => readProtobufObject(enveloped(input), configMaps))
}

function enveloped(message: Buffer): Buffer {
  const { length } = message
  const size = [0, 7, 14].map((shift) => ((length >> shift) & 0x7f) | (shift < 14 ? 0x80 : 0))
  return Buffer.concat([HEADER, Buffer.from([0x12, ...size]), message])
}
