import type { FileHandle } from 'node:fs/promises'
import { guardedPack } from '../../../src/gitsync/pack-guard.ts'
import { PackedObjects } from '../../../src/gitsync/packed-objects.ts'

const LIMITS = { maxObjectBytes: 1024 * 1024, maxUnpackedBytes: 4 * 1024 * 1024, maxObjects: 10_000 }

/** An answer of a server, in packets. */
export async function packs(input: Buffer): Promise<void> {
  const written: Buffer[] = []
  const objects = new PackedObjects(inMemory(written), LIMITS)
  const sink = {
    object: objects.add.bind(objects),
    write: async (bytes: Buffer) => void written.push(Buffer.from(bytes)),
    end: () => objects.resolve(),
  }
  try {
    for await (const _ of guardedPack(inPieces(input), { limits: LIMITS, onRefused: () => {} }, sink));
    for (const id of objects.ids()) await objects.read(id)
  } catch (error) {
    if (!(error instanceof Error && error.name === 'GitSyncError')) throw error
  }
}

async function* inPieces(input: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < input.length; at += 777) yield input.subarray(at, at + 777)
}

function inMemory(written: readonly Buffer[]): FileHandle {
  const read = async (buffer: Buffer, offset: number, length: number, position: number) => {
    Buffer.concat(written).copy(buffer, offset, position, position + length)
    return { bytesRead: length, buffer }
  }
  return { read } as unknown as FileHandle
}
