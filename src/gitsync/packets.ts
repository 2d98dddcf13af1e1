import { corruptPack } from './explain-failure.ts'

/** Characters of the length that begins a packet. */
export const LENGTH = 4
/** The end of a list of packets. */
export const FLUSH = Buffer.from('0000')

export function packet(line: string): Buffer {
  return Buffer.from((line.length + LENGTH).toString(16).padStart(LENGTH, '0') + line, 'latin1')
}

/** Cuts what arrives into packets. */
export class Packets {
  #held: Buffer = Buffer.alloc(0)

  /** @returns those that are complete now, with their lengths. @throws {GitSyncError} `CorruptPack` */
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
