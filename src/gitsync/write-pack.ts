import { createHash } from 'node:crypto'
import { open, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { byText } from '../protocol/by-text.ts'
import type { GitObject } from './git-object.ts'

const HEADER = 12
const TYPE_NUMBERS = { commit: 1, tree: 2, blob: 3, tag: 4 } as const
/** Of these packs each is small: offsets fit into the 31 bits of an index without large ones. */
const INDEX_MAGIC = Buffer.from('ff744f6300000002', 'hex')

interface Written {
  readonly id: string
  readonly offset: number
  readonly crc: number
}

/** Writes objects as a pack with its index, one object in memory at a time. Of no objects nothing is written. */
export async function writePack(gitdir: string, ids: readonly string[], read: (id: string) => Promise<GitObject>): Promise<void> {
  if (ids.length === 0) return
  const folder = join(gitdir, 'objects', 'pack')
  const temporary = join(folder, 'writing')
  const sha = createHash('sha1')
  const written: Written[] = []
  await using file = await open(temporary, 'w')
  const put = async (bytes: Buffer): Promise<void> => {
    sha.update(bytes)
    await file.writeFile(bytes)
  }
  await put(packHeader(ids.length))
  let offset = HEADER
  for (const id of ids) {
    const bytes = packed(await read(id))
    written.push({ id, offset, crc: crc32(bytes) })
    await put(bytes)
    offset += bytes.length
  }
  const checksum = sha.digest()
  await file.writeFile(checksum)
  const name = join(folder, `pack-${checksum.toString('hex')}`)
  await writeFile(`${name}.idx`, packIndex(written, checksum))
  await rename(temporary, `${name}.pack`)
}

function packHeader(count: number): Buffer {
  const header = Buffer.alloc(HEADER)
  header.write('PACK')
  header.writeUInt32BE(2, 4)
  header.writeUInt32BE(count, 8)
  return header
}

function packed({ type, content }: GitObject): Buffer {
  const first = (TYPE_NUMBERS[type] << 4) | (content.length & 15)
  const header: number[] = []
  let rest = Math.floor(content.length / 16)
  header.push(first | (rest > 0 ? 128 : 0))
  for (; rest > 0; rest = Math.floor(rest / 128)) header.push((rest & 127) | (rest >= 128 ? 128 : 0))
  return Buffer.concat([Buffer.from(header), deflateSync(content, { level: 1 })])
}

/** Version 2: how many ids begin with a byte up to each, ids in order, checksums, offsets. */
function packIndex(written: readonly Written[], checksum: Buffer): Buffer {
  const sorted = written.toSorted(byText(({ id }) => id))
  const fanout = Buffer.alloc(256 * 4)
  for (const { id } of sorted) {
    const first = Number.parseInt(id.slice(0, 2), 16)
    for (let at = first; at < 256; at++) fanout.writeUInt32BE(fanout.readUInt32BE(at * 4) + 1, at * 4)
  }
  const numbers = (pick: (one: Written) => number): Buffer => {
    const buffer = Buffer.alloc(sorted.length * 4)
    for (const [n, one] of sorted.entries()) buffer.writeUInt32BE(pick(one), n * 4)
    return buffer
  }
  const ids = Buffer.from(sorted.map(({ id }) => id).join(''), 'hex')
  const body = Buffer.concat([INDEX_MAGIC, fanout, ids, numbers(({ crc }) => crc), numbers(({ offset }) => offset), checksum])
  return Buffer.concat([body, createHash('sha1').update(body).digest()])
}
