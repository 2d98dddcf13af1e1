import * as z from 'zod/mini'
import { byText } from '../../protocol/by-text.ts'
import { checkNesting, checkTarget, placeOf } from './archive-paths.ts'
import { readTar, type TarPart } from './read-tar.ts'

/** What an archive holds, by places relative to its directory. Plain JSON: it is kept on disk. */
export const manifestSchema = z.object({
  files: z.array(z.object({ place: z.string(), sha256: z.string(), mode: z.number() })),
  links: z.array(z.object({ place: z.string(), target: z.string() })),
})
export type Manifest = z.infer<typeof manifestSchema>

export interface UnpackLimits {
  readonly files: number
  /** Bytes of all files together. */
  readonly size: number
}

/** Each file is a step of the change, with a backup and two lines of the journal. */
export const UNPACK_LIMITS: UnpackLimits = { files: 2000, size: 2 * 1024 ** 3 }

/** For headers, names and padding, and for what follows the end of an archive: it all has to be read. */
const OVERHEAD = 64 * 1024 ** 2

/** Nobody but root may write what root unpacks, and nothing of it runs as another user. */
const MODE = 0o755

/** Reads the whole body, and keeps it. @returns hex digest */
export type StoreBody = (body: AsyncIterable<Uint8Array>) => Promise<string>

/**
 * Unpacks a tar archive: each file into the store, under its digest. Directories are made where a file needs them, owners are not taken over.
 * @throws {Error} at the first member that leads out of the archive's directory, is no file or link, or exceeds the limits
 */
export async function unpackTar(
  chunks: AsyncIterable<Uint8Array>,
  { strip, store, limits = UNPACK_LIMITS }: { readonly strip: number; readonly store: StoreBody; readonly limits?: UnpackLimits },
): Promise<Manifest> {
  const files = new Map<string, Manifest['files'][number]>()
  const links = new Map<string, Manifest['links'][number]>()
  let size = 0
  for await (const part of readTar(bounded(chunks, limits.size + OVERHEAD))) {
    const place = placeOf(part.member.path, strip)
    if (place === undefined || part.member.type === 'directory') continue
    size += part.member.type === 'file' ? part.member.size : 0
    if (size > limits.size) throw new Error(`it has more than ${limits.size} bytes`)
    files.delete(place)
    links.delete(place)
    if (part.member.type === 'symlink') links.set(place, linkOf(place, part))
    else
      files.set(place, part.member.type === 'hardlink' ? sameAs(place, { part, strip, files }) : await fileOf(place, part, store))
    if (files.size + links.size > limits.files) throw new Error(`it has more than ${limits.files} files`)
  }
  if (files.size + links.size === 0) throw new Error(`it has no files${strip > 0 ? ` after strip: ${strip}` : ''}`)
  checkNesting([...files.keys(), ...links.keys()])
  return { files: sorted(files), links: sorted(links) }
}

/** A few bytes that decompress to very many would keep the agent busy for hours, also where none of them are unpacked. */
async function* bounded(chunks: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > most) throw new Error(`it is longer than ${most} bytes when it is decompressed`)
    yield chunk
  }
}

async function fileOf(place: string, { member, body }: TarPart, store: StoreBody): Promise<Manifest['files'][number]> {
  return { place, sha256: await store(body), mode: member.mode & MODE }
}

function linkOf(place: string, { member: { target } }: TarPart): Manifest['links'][number] {
  checkTarget(place, target)
  return { place, target }
}

/** A second name of a file that came before. */
function sameAs(
  place: string,
  {
    part: { member },
    strip,
    files,
  }: { readonly part: TarPart; readonly strip: number; readonly files: ReadonlyMap<string, Manifest['files'][number]> },
): Manifest['files'][number] {
  const other = files.get(placeOf(member.target, strip) ?? '')
  if (other === undefined) throw new Error(`"${place}" is a link to "${member.target}", which does not come before it`)
  return { ...other, place }
}

function sorted<T extends { readonly place: string }>(members: ReadonlyMap<string, T>): T[] {
  return [...members.values()].toSorted(byText(({ place }) => place))
}
