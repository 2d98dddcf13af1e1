/** DER, as far as a certificate request needs it. */

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return tagged(0x30, Buffer.concat(parts))
}

export function setOf(part: Uint8Array): Buffer {
  return tagged(0x31, part)
}

/** @param dotted such as `2.5.4.3` */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

export function utf8(text: string): Buffer {
  return tagged(0x0c, Buffer.from(text))
}

export function smallInteger(value: number): Buffer {
  return tagged(0x02, Buffer.from([value]))
}

export function bitString(bytes: Uint8Array): Buffer {
  return tagged(0x03, Buffer.concat([Buffer.from([0]), bytes]))
}

/** An empty `[0]`. */
export function noAttributes(): Buffer {
  return tagged(0xa0, Buffer.alloc(0))
}

function tagged(tag: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content])
}

/** Requests are short: below 64 KiB. */
function lengthOf(length: number): number[] {
  if (length < 0x80) return [length]
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
}

function base128(value: number): number[] {
  const digits = [value & 0x7f]
  for (let left = value >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80)
  return digits
}
