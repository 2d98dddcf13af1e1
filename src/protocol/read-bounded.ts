/** All bytes of a body. @returns undefined when there are more than so many; the rest is not read */
export async function readBounded(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const read: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.byteLength
    if (size > maxBytes) return undefined
    read.push(chunk)
  }
  return Buffer.concat(read)
}
