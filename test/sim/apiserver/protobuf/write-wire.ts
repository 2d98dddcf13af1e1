/** Writes protobuf by hand, and so also what no client sends. */
export function varint(value: number | bigint): Buffer {
  const bytes: number[] = []
  let left = BigInt.asUintN(64, BigInt(value))
  for (; left > 0x7fn; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80)
  return Buffer.from([...bytes, Number(left)])
}

/** A field that is a number. */
export function number(field: number, value: number | bigint): Buffer {
  return Buffer.concat([varint(field * 8), varint(value)])
}

/** A field that is text, bytes or a message. */
export function bytes(field: number, ...parts: readonly (string | Buffer)[]): Buffer {
  const value = Buffer.concat(parts.map((part) => Buffer.from(part)))
  return Buffer.concat([varint(field * 8 + 2), varint(value.length), value])
}

/** The body of a request, as Kubernetes wraps it. */
export function envelope(apiVersion: string, kind: string, ...message: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from('k8s\0'), bytes(1, bytes(1, apiVersion), bytes(2, kind)), bytes(2, ...message)])
}
