import { Readable } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import { unpackTar } from '../../agent/archive/unpack.ts'
import type { Archives } from '../../agent/ports.ts'
import { sha256Of } from '../../agent/sha256.ts'
import type { MemoryFiles } from './memory-files.ts'

/** Unpacks what is in memory, as the real one does what is on disk. Of the compressions it has gzip. */
export function simulatedArchives(files: MemoryFiles): Archives {
  return {
    unpack: async (from, store, { strip }) => {
      const bytes = await files.read(from)
      if (bytes === undefined) throw new Error(`unpack "${from}": there is no such file`)
      const tar = bytes[0] === 0x1f ? gunzipSync(bytes) : bytes
      return unpackTar(Readable.from([tar]), {
        strip,
        store: async (body) => {
          const pieces: Uint8Array[] = []
          for await (const piece of body) pieces.push(piece)
          const content = Buffer.concat(pieces)
          const sha256 = sha256Of(content)
          files.put(`${store}/${sha256}`, content, { mode: 0o600 })
          return sha256
        },
      })
    },
  }
}
