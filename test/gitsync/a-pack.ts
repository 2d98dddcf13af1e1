import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'

const BLOB = 3
const OFS_DELTA = 6
const REF_DELTA = 7

export function objectHeader(type: number, size: number): Buffer {
  const bytes: number[] = []
  let rest = Math.floor(size / 16)
  bytes.push((type << 4) | (size & 15) | (rest > 0 ? 128 : 0))
  for (; rest > 0; rest = Math.floor(rest / 128)) bytes.push((rest & 127) | (rest >= 128 ? 128 : 0))
  return Buffer.from(bytes)
}

/** @param count what the pack says of itself */
export function aPack(objects: readonly Buffer[], count = objects.length): Buffer {
  const head = Buffer.alloc(12)
  head.write('PACK')
  head.writeUInt32BE(2, 4)
  head.writeUInt32BE(count, 8)
  const body = Buffer.concat([head, ...objects])
  return Buffer.concat([body, createHash('sha1').update(body).digest()])
}

export function aBlob(content: Buffer, size = content.length): Buffer {
  return Buffer.concat([objectHeader(BLOB, size), deflateSync(content)])
}

/** @param distance bytes between where its base begins and where it begins itself */
export function anOffsetDelta(distance: number, delta: Buffer): Buffer {
  const bytes = [distance & 127]
  for (let rest = Math.floor(distance / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift(128 | (--rest & 127))
  return Buffer.concat([objectHeader(OFS_DELTA, delta.length), Buffer.from(bytes), deflateSync(delta)])
}

export function aReferenceDelta(id: string, delta: Buffer): Buffer {
  return Buffer.concat([objectHeader(REF_DELTA, delta.length), Buffer.from(id, 'hex'), deflateSync(delta)])
}
