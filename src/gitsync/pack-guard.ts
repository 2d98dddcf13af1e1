import type { PackLimits } from './pack-limits.ts'
import { type OnObject, PackScanner } from './pack-scanner.ts'
import { LENGTH, Packets } from './packets.ts'

/** The band of a side-band packet that carries the pack; the others carry progress and errors. */
const PACK_BAND = 1

export interface PackGuard {
  readonly limits: PackLimits
  /** Called with the commits of a pack that was refused. */
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
 * Passes an answer of git-upload-pack on, packet by packet, and checks the pack in it before. The pack goes into the sink alone; without
 * one it is passed on. @throws {GitSyncError} `PackTooLarge`, `CorruptPack`
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
        } else if (sink) yield packet
      }
      if (!sink) yield chunk
    }
    if (hasPack) scanner.end()
  } catch (error) {
    onRefused(scanner.commits)
    throw error
  }
  if (hasPack) await sink?.end()
}

function packOf(packet: Buffer): Buffer | undefined {
  return packet[LENGTH] === PACK_BAND ? packet.subarray(LENGTH + 1) : undefined
}
