import { corruptPack } from './explain-failure.ts'
import type { PackLimits } from './pack-limits.ts'
import { type OnObject, PackScanner } from './pack-scanner.ts'

/** The band of a side-band packet that carries the pack; the others carry progress and errors. */
const PACK_BAND = 1
const LENGTH = 4
const EMPTY_SHA = '029d08823bd8a8eab510ad6ac75c823cfd3ed31e'

export interface PackGuard {
  readonly limits: PackLimits
  /** Told of the commits of a pack that was refused. */
  readonly onRefused: (commits: readonly Buffer[]) => void
}

/** Takes a pack out of an answer, so that nothing behind the guard collects it in memory. */
export interface PackSink {
  readonly object: OnObject
  /** Bytes of the pack, checked up to here or not. */
  write(bytes: Buffer): Promise<void>
  /** The pack is whole, and within the limits. */
  end(): Promise<void>
}

/**
 * Passes an answer of git-upload-pack on, packet by packet, and checks the pack in it before. isomorphic-git collects the whole pack before it
 * unpacks any of it: what is refused here was never unpacked. With a sink, an empty pack is passed on instead. @throws {GitSyncError} `PackTooLarge`, `CorruptPack`
 */
export async function* guardedPack(
  body: AsyncIterable<Uint8Array>,
  { limits, onRefused }: PackGuard,
  sink?: PackSink,
): AsyncGenerator<Uint8Array> {
  const scanner = new PackScanner(limits, sink?.object)
  const packets = new Packets()
  let hasPack = false
  try {
    for await (const chunk of body) {
      for (const packet of packets.push(Buffer.from(chunk))) {
        const pack = packOf(packet)
        if (pack) {
          hasPack = true
          scanner.push(pack)
          await sink?.write(pack)
        } else if (sink && !(hasPack && packet.length === LENGTH)) yield packet
      }
      if (!sink) yield chunk
    }
    if (hasPack) scanner.end()
  } catch (error) {
    onRefused(scanner.commits)
    throw error
  }
  if (!sink || !hasPack) return
  await sink.end()
  yield EMPTY_PACK
}

function packOf(packet: Buffer): Buffer | undefined {
  return packet[LENGTH] === PACK_BAND ? packet.subarray(LENGTH + 1) : undefined
}

/** A packet of the pack's band with a pack without objects, and the end of packets. */
const EMPTY_PACK = Buffer.from(`30303235015041434b0000000200000000${EMPTY_SHA}30303030`, 'hex')

/** Cuts what arrives into packets. */
class Packets {
  #held: Buffer = Buffer.alloc(0)

  /** @returns those that are complete now, with their lengths */
  push(chunk: Buffer): readonly Buffer[] {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    const packets: Buffer[] = []
    let at = 0
    while (this.#held.length >= at + LENGTH) {
      const length = lengthAt(this.#held, at)
      if (this.#held.length < at + length) break
      packets.push(this.#held.subarray(at, at + length))
      at += length
    }
    this.#held = this.#held.subarray(at)
    return packets
  }
}

/** Packets without content (`0000` and the like) are as long as their length. */
function lengthAt(data: Buffer, at: number): number {
  const text = data.toString('latin1', at, at + LENGTH)
  if (!/^[0-9a-f]{4}$/i.test(text)) throw corruptPack('the server does not send it in packets')
  return Math.max(LENGTH, Number.parseInt(text, 16))
}
