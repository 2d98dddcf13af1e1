/**
 * Cuts a stream at newlines. What follows the last newline is dropped: half a line is what a connection leaves that was
 * closed in the middle of an event.
 * @throws {RangeError} when a line is longer than `maxBytes`
 */
export async function* readLines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<string> {
  let pieces: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      pieces.push(chunk.subarray(start, end))
      if (size + end - start > maxBytes) throw tooLong(maxBytes)
      yield Buffer.concat(pieces).toString('utf8')
      pieces = []
      size = 0
      start = end + 1
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start))
    size += chunk.length - start
    if (size > maxBytes) throw tooLong(maxBytes)
  }
}

function tooLong(maxBytes: number): RangeError {
  return new RangeError(`failed to read line: it is longer than ${maxBytes} bytes`)
}
