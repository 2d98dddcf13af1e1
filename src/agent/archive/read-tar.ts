import { ByteReader } from './byte-reader.ts'
import { BLOCK, parsePaxRecords, parseTarHeader, type TarMember } from './tar-header.ts'

/** Of a name or a pax header, which is held in memory. */
const LONGEST_HEADER = 64 * 1024

export interface TarPart {
  readonly member: TarMember
  /** What the member holds; what is left of it is passed over. */
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * The members of a tar archive in their order: ustar, pax, and long names of GNU.
 * @throws {Error} when it is damaged, cut short, or has what is not unpacked: sparse files, devices
 */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarPart> {
  const reader = new ByteReader(chunks)
  let told: Partial<TarMember> = {}
  for (let header = await headerOf(reader); header !== undefined; header = await headerOf(reader)) {
    if (isAboutNext(header)) {
      told = { ...told, ...(await readTold(header, reader)) }
      continue
    }
    const member = { ...header, ...told }
    told = {}
    // Of a link the size says nothing: no content follows.
    const size = member.type === 'file' ? member.size : 0
    let read = 0
    const body = async function* (): AsyncGenerator<Uint8Array> {
      for await (const piece of reader.pieces(size)) {
        read += piece.length
        yield piece
      }
    }
    yield { member, body: body() }
    const left = size - read
    if ((await reader.skip(left)) < left) throw cutShort()
    await reader.skip(padding(size))
  }
  // Whoever sends it wants to be read to the end.
  await reader.skip(Number.MAX_SAFE_INTEGER)
}

async function headerOf(reader: ByteReader): Promise<TarMember | undefined> {
  const block = await reader.take(BLOCK)
  if (block.length === 0) return undefined
  if (block.length < BLOCK) throw cutShort()
  return parseTarHeader(block)
}

function isAboutNext({ type }: TarMember): boolean {
  return ['extension', 'global', 'long name', 'long target'].includes(type)
}

async function readTold({ type, size }: TarMember, reader: ByteReader): Promise<Partial<TarMember>> {
  if (size > LONGEST_HEADER) throw new Error(`it has a header of ${size} bytes, at most ${LONGEST_HEADER} are read`)
  const bytes = await reader.take(size)
  if (bytes.length < size) throw cutShort()
  await reader.skip(padding(size))
  const text = bytes.toString().replace(/\0.*$/s, '')
  if (type === 'long name') return { path: text }
  if (type === 'long target') return { target: text }
  return type === 'global' ? {} : fromPax(parsePaxRecords(bytes))
}

function fromPax(records: ReadonlyMap<string, string>): Partial<TarMember> {
  if ([...records.keys()].some((key) => key.startsWith('GNU.sparse'))) throw new Error('it has sparse files; pack them whole')
  const [path, target, size] = ['path', 'linkpath', 'size'].map((key) => records.get(key))
  if (size !== undefined && !/^\d{1,15}$/.test(size)) throw new Error('it has a damaged pax header')
  return {
    ...(path === undefined ? {} : { path }),
    ...(target === undefined ? {} : { target }),
    ...(size === undefined ? {} : { size: Number(size) }),
  }
}

function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK
}

function cutShort(): Error {
  return new Error('it ends in the middle')
}
