import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, rename, unlink } from 'node:fs/promises'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { type Manifest, unpackTar } from '../archive/unpack.ts'
import type { Archives } from '../ports.ts'
import { syncDirectory } from './durable-writes.ts'
import { HostTree } from './host-tree.ts'
import { REGULAR } from './open-regular.ts'
import { orMissing } from './or-missing.ts'
import { decompressXz } from './xz-program.ts'

type Decompressor = Duplex | ((source: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>)

/** By the first bytes, whatever the file is called. */
const COMPRESSIONS: readonly { readonly magic: string; readonly decompressor: () => Decompressor }[] = [
  { magic: '1f8b', decompressor: () => createGunzip() },
  { magic: '28b52ffd', decompressor: () => createZstdDecompress() },
  { magic: 'fd377a585a00', decompressor: () => (source) => decompressXz(source) },
]

/** Archives of this host, read as a stream: one of several hundred MB takes no more memory than a small one. */
export function tarArchives(tree: HostTree = new HostTree()): Archives {
  return {
    unpack: async (from, store, { strip, signal }) => {
      using place = tree.find(from)
      if (place === undefined) throw new Error(`unpack "${from}": there is no such file`)
      // A handle of Node's own closes when the stream has done with it, also when that is cut off.
      await using handle = await open(place.path, REGULAR)
      if (!(await handle.stat()).isFile()) throw new Error(`unpack "${from}": no regular file`)
      let manifest: Manifest | undefined
      const consume = async (chunks: AsyncIterable<Uint8Array>): Promise<void> => {
        manifest = await unpackTar(chunks, { strip, store: (body) => storeBody(body, { tree, store }) })
      }
      const source = handle.createReadStream({ start: 0, autoClose: false })
      const decompressor = await decompressorOf(handle)
      const options = signal === undefined ? {} : { signal }
      if (decompressor === undefined) await pipeline(source, consume, options)
      else await pipeline(source, decompressor, consume, options)
      if (manifest === undefined) throw new Error(`unpack "${from}": nothing was read`)
      return manifest
    },
  }
}

/** @returns undefined when it is not compressed */
async function decompressorOf(handle: FileHandle): Promise<Decompressor | undefined> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(6), 0, 6, 0)
  const start = buffer.subarray(0, bytesRead).toString('hex')
  return COMPRESSIONS.find(({ magic }) => start.startsWith(magic))?.decompressor()
}

/** On disk before its name says what it is: what has the name is not read again before it is used. */
async function storeBody(
  body: AsyncIterable<Uint8Array>,
  { tree, store }: { readonly tree: HostTree; readonly store: string },
): Promise<string> {
  using place = tree.make(`${store}/unpacking-${randomUUID()}`)
  const hash = createHash('sha256')
  try {
    await using handle = await open(place.path, NEW_FILE, 0o600)
    for await (const piece of body) {
      hash.update(piece)
      await handle.writeFile(piece)
    }
    await handle.sync()
  } catch (error) {
    await orMissing(unlink(place.path))
    throw place.explain(error)
  }
  const sha256 = hash.digest('hex')
  await rename(place.path, place.beside(sha256))
  await syncDirectory(place)
  return sha256
}

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
