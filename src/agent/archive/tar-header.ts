/** What a tar archive says of one member. */
export interface TarMember {
  /** As the archive has it: nothing was checked. */
  readonly path: string
  readonly type: TarType
  readonly mode: number
  readonly size: number
  /** Of a link. */
  readonly target: string
}

export type TarType = 'file' | 'directory' | 'symlink' | 'hardlink' | 'extension' | 'global' | 'long name' | 'long target'

const TYPES: ReadonlyMap<string, TarType> = new Map([
  ['0', 'file'],
  ['\0', 'file'],
  ['7', 'file'],
  ['1', 'hardlink'],
  ['2', 'symlink'],
  ['5', 'directory'],
  ['x', 'extension'],
  ['g', 'global'],
  ['L', 'long name'],
  ['K', 'long target'],
])

export const BLOCK = 512
const CHECKSUM = { from: 148, to: 156 }

/** @param block of 512 bytes @returns undefined for the block of zeros that ends an archive. @throws {Error} */
export function parseTarHeader(block: Buffer): TarMember | undefined {
  if (block.every((byte) => byte === 0)) return undefined
  if (numberIn(block, CHECKSUM.from, CHECKSUM.to) !== checksumOf(block)) throw new Error('it is no tar archive, or a damaged one')
  const name = textIn(block, 0, 100)
  const isUstar = block.subarray(257, 263).toString('latin1') === 'ustar\0'
  const prefix = isUstar ? textIn(block, 345, 500) : ''
  const path = prefix === '' ? name : `${prefix}/${name}`
  const letter = String.fromCharCode(block[156] ?? 0)
  const type = TYPES.get(letter)
  if (type === undefined) throw new Error(`"${path}" is a device, a pipe or of another type ("${letter}") that is not unpacked`)
  // Old archives have a directory as a file whose name ends in a slash.
  const isDirectory = type === 'file' && path.endsWith('/')
  return {
    path,
    type: isDirectory ? 'directory' : type,
    mode: numberIn(block, 100, 108) & 0o7777,
    size: numberIn(block, 124, 136),
    target: textIn(block, 157, 257),
  }
}

/** Of a pax header: `27 path=a/long/name\n` for each. */
export function parsePaxRecords(bytes: Buffer): ReadonlyMap<string, string> {
  const records = new Map<string, string>()
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at)
    const length = Number(bytes.subarray(at, space).toString())
    if (space < 0 || !Number.isInteger(length) || length <= space - at || at + length > bytes.length)
      throw new Error('it has a damaged pax header')
    const [, key = '', value = ''] = /^([^=]*)=([\s\S]*)\n$/.exec(bytes.subarray(space + 1, at + length).toString()) ?? []
    records.set(key, value)
    at += length
  }
  return records
}

/** Octal digits, or base 256 where the first bit is set. */
function numberIn(block: Buffer, from: number, to: number): number {
  const field = block.subarray(from, to)
  if (((field[0] ?? 0) & 0x80) !== 0) return field.subarray(-6).readUIntBE(0, 6)
  const digits = field.toString('latin1').replaceAll(/[\0 ]/g, '')
  if (!/^[0-7]*$/.test(digits)) throw new Error('it is no tar archive, or a damaged one')
  return digits === '' ? 0 : Number.parseInt(digits, 8)
}

function textIn(block: Buffer, from: number, to: number): string {
  const field = block.subarray(from, to)
  const end = field.indexOf(0)
  return field.subarray(0, end < 0 ? field.length : end).toString()
}

/** The sum of all bytes, with spaces where the sum itself stands. */
function checksumOf(block: Buffer): number {
  return block.reduce((sum, byte, index) => sum + (index >= CHECKSUM.from && index < CHECKSUM.to ? 0x20 : byte), 0)
}
