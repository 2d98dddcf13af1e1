const END = Buffer.from('\r\n\r\n')
const NONE = Buffer.alloc(0)

/** The head of a CGI program's output: fields up to an empty line, one of which may be the status. */
export class CgiHeaders {
  #bytes: Buffer = NONE
  ended = false
  status = 200
  readonly fields: Record<string, string> = {}

  /** @returns what of the body came along */
  take(chunk: Buffer): Buffer {
    this.#bytes = Buffer.concat([this.#bytes, chunk])
    const end = this.#bytes.indexOf(END)
    if (end < 0) return NONE
    this.ended = true
    for (const line of this.#bytes.toString('latin1', 0, end).split('\r\n')) this.#field(line)
    return this.#bytes.subarray(end + END.length)
  }

  #field(line: string): void {
    // Only the first colon separates: dates have more.
    const [name = '', ...value] = line.split(': ')
    if (name.toLowerCase() === 'status') this.status = Number.parseInt(value.join(': '), 10)
    else if (name !== '') this.fields[name] = value.join(': ')
  }
}
