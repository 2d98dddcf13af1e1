import { corruptPack } from './explain-failure.ts'
import { readSizes } from './pack-object.ts'

/** Bits of a copy instruction: four bytes of an offset, three of a length. */
const OFFSET_BYTES = 4
const LENGTH_BYTES = 3
/** What a copy without a length copies. */
const WHOLE = 0x10000

/** @throws {GitSyncError} `CorruptPack` when the delta is not one of this base */
export function applyDelta(base: Buffer, delta: Buffer): Buffer {
  const sizes = readSizes(delta)
  if (sizes.base !== base.length) throw corruptPack(`a delta is of ${sizes.base} bytes and its base has ${base.length}`)
  const result = Buffer.alloc(sizes.result)
  let to = 0
  const put = (from: Buffer, start: number, length: number): void => {
    if (start + length > from.length || to + length > result.length) throw corruptPack('a delta copies what is not there')
    to += from.copy(result, to, start, start + length)
  }
  for (let at = sizes.end; at < delta.length; ) {
    const instruction = delta[at++] ?? 0
    if (instruction === 0) throw corruptPack('a delta has an instruction that nobody knows')
    if (instruction < 128) {
      put(delta, at, instruction)
      at += instruction
      continue
    }
    const offset = readBytes(delta, at, { bits: instruction & 15, count: OFFSET_BYTES })
    const length = readBytes(delta, offset.end, { bits: (instruction >> 4) & 7, count: LENGTH_BYTES })
    put(base, offset.value, length.value === 0 ? WHOLE : length.value)
    at = length.end
  }
  if (to !== result.length) throw corruptPack(`a delta makes ${to} bytes and declares ${result.length}`)
  return result
}

/** A number of which only those bytes are written that are not zero; the bits say which. */
function readBytes(data: Buffer, start: number, { bits, count }: { readonly bits: number; readonly count: number }) {
  let value = 0
  let end = start
  for (let n = 0; n < count; n++) if (bits & (1 << n)) value += (data[end++] ?? 0) * 256 ** n
  return { value, end }
}
