import { corruptPack } from './explain-failure.ts'
import type { PackLimits } from './pack-limits.ts'
import { PackScanner } from './pack-scanner.ts'

/** The band of a side-band packet that carries the pack; the others carry progress and errors. */
const PACK_BAND = 1
const LENGTH = 4

export interface PackGuard {
  readonly limits: PackLimits
  /** Told of the commits of a pack that was refused. */
  readonly onRefused: (commits: readonly Buffer[]) => void
}

/**
 * Passes an answer of git-upload-pack on, packet by packet, and checks the pack in it before. isomorphic-git collects the whole pack before it
 * unpacks any of it: what is refused here was never unpacked. @throws {GitSyncError} `PackTooLarge`, `CorruptPack`
 */
export async function* guardedPack(
  body: AsyncIterable<Uint8Array>,
  { limits, onRefused }: PackGuard,
): AsyncGenerator<Uint8Array> {
  const scanner = new PackScanner(limits)
  const packets = new Packets()
  let hasPack = false
  try {
    for await (const chunk of body) {
      for (const pack of packets.push(Buffer.from(chunk))) {
        hasPack = true
        scanner.push(pack)
      }
      yield chunk
    }
    if (hasPack) scanner.end()
  } catch (error) {
    onRefused(scanner.commits)
    throw error
  }
}

/** Cuts what arrives into packets. */
class Packets {
  #held: Buffer = Buffer.alloc(0)

  /** @returns what the packets that are complete now carry of the pack */
  push(chunk: Buffer): Buffer[] {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    const packs: Buffer[] = []
    let at = 0
    while (this.#held.length >= at + LENGTH) {
      const length = lengthAt(this.#held, at)
      if (this.#held.length < at + length) break
      if (length > LENGTH && this.#held[at + LENGTH] === PACK_BAND) packs.push(this.#held.subarray(at + LENGTH + 1, at + length))
      at += length
    }
    this.#held = this.#held.subarray(at)
    return packs
  }
}

/** Packets without content (`0000` and the like) are as long as their length. */
function lengthAt(data: Buffer, at: number): number {
  const text = data.toString('latin1', at, at + LENGTH)
  if (!/^[0-9a-f]{4}$/i.test(text)) throw corruptPack('the server does not send it in packets')
  return Math.max(LENGTH, Number.parseInt(text, 16))
}
