/** A tar archive of entries that are in memory. It depends on the entries alone: no owner, no time, no order of a directory. */

export interface TarFile {
  /** Without a leading slash. */
  readonly path: string
  readonly mode: number
  readonly content: Uint8Array
}

export interface TarDirectory {
  readonly path: string
  readonly mode: number
}

export interface TarLink {
  readonly path: string
  readonly target: string
}

export type TarEntry = TarFile | TarDirectory | TarLink

const BLOCK = 512
const TYPES = { file: '0', link: '2', directory: '5', extended: 'x' } as const
type Type = keyof typeof TYPES

/** Directories that no entry names are added with mode 0755: containerd makes such ones itself, and others do not. */
export function tarOf(entries: readonly TarEntry[]): Buffer {
  const byPath = new Map<string, TarEntry>()
  for (const entry of entries) {
    for (const path of parentsOf(entry.path)) if (!byPath.has(path)) byPath.set(path, { path, mode: 0o755 })
    byPath.set(entry.path, entry)
  }
  const sorted = [...byPath.values()].sort((one, other) => (one.path < other.path ? -1 : 1))
  return Buffer.concat([...sorted.flatMap(blocksOf), Buffer.alloc(2 * BLOCK)])
}

function parentsOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

function blocksOf(entry: TarEntry): Buffer[] {
  if ('content' in entry) return [...header('file', entry), ...padded(Buffer.from(entry.content))]
  if ('target' in entry) return header('link', { ...entry, mode: 0o777 })
  return header('directory', { ...entry, path: `${entry.path}/` })
}

interface Head {
  readonly path: string
  readonly mode: number
  readonly content?: Uint8Array
  readonly target?: string
}

/** The fields of ustar have room for 100 bytes; what is longer stands in a record of pax before it. */
function header(type: Type, head: Head): Buffer[] {
  const long = { path: head.path, linkpath: head.target ?? '' }
  const records = Object.entries(long).filter(([, value]) => Buffer.byteLength(value) > 100)
  const own = headerBlock(type, head)
  if (records.length === 0) return [own]
  const content = Buffer.concat(records.map(([key, value]) => paxRecord(key, value)))
  return [headerBlock('extended', { path: 'pax', mode: 0o644, content }), ...padded(content), own]
}

/** Its length counts its own digits. */
function paxRecord(key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`
  let length = Buffer.byteLength(rest)
  while (String(length).length + Buffer.byteLength(rest) !== length) length = String(length).length + Buffer.byteLength(rest)
  return Buffer.from(`${length}${rest}`)
}

function headerBlock(type: Type, { path, mode, content, target = '' }: Head): Buffer {
  const block = Buffer.alloc(BLOCK)
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`
  const fields: readonly (readonly [offset: number, text: string, room: number])[] = [
    [0, path, 100],
    [100, octal(mode, 7), 8],
    [108, octal(0, 7), 8],
    [116, octal(0, 7), 8],
    [124, octal(content?.length ?? 0, 11), 12],
    [136, octal(0, 11), 12],
    [148, ' '.repeat(8), 8],
    [156, TYPES[type], 1],
    [157, target, 100],
    [257, 'ustar\x0000', 8],
  ]
  for (const [offset, text, room] of fields) Buffer.from(text).copy(block, offset, 0, room)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

function padded(content: Buffer): Buffer[] {
  return [content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]
}
