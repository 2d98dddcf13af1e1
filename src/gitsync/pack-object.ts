export type DeltaType = 6 | 7

export interface ObjectHeader {
  /** 1 commit, 2 tree, 3 blob, 4 tag, 6 and 7 deltas. */
  readonly type: number
  /** Bytes that it declares to unpack to. */
  readonly size: number
  /** Where its compressed content begins. */
  readonly end: number
}

const OFS_DELTA = 6
const REF_DELTA = 7
const ID = 20

/** What stands before each object of a pack; undefined when it is not all there. */
export function readObjectHeader(data: Buffer, start: number): ObjectHeader | undefined {
  const first = data[start]
  if (first === undefined) return undefined
  let at = start + 1
  let size = first & 15
  let more = (first & 128) !== 0
  for (let factor = 16; more; factor *= 128) {
    const byte = data[at++]
    if (byte === undefined) return undefined
    size += (byte & 127) * factor
    more = (byte & 128) !== 0
  }
  const type = (first >> 4) & 7
  const end = type === OFS_DELTA ? afterOffset(data, at) : type === REF_DELTA ? at + ID : at
  return end === undefined || end >= data.length ? undefined : { type, size, end }
}

function afterOffset(data: Buffer, start: number): number | undefined {
  let at = start
  while (at < data.length) if (((data[at++] ?? 0) & 128) === 0) return at
  return undefined
}

/** A delta says of how long a base it is, and then how long its result is. */
export function deltaResultSize(delta: Buffer): number {
  let at = 0
  const number = (): number => {
    let value = 0
    for (let factor = 1; at < delta.length; factor *= 128) {
      const byte = delta[at++] ?? 0
      value += (byte & 127) * factor
      if ((byte & 128) === 0) break
    }
    return value
  }
  number()
  return number()
}
