import type { CliIo } from './cli-io.ts'

const ESCAPE = '\u001b'
/** Colours, which change nothing that stands there already. */
const COLOUR = `${ESCAPE}\\[\\d{1,2}m`
/** What a command draws over its own lines begins with it; nothing else may move the cursor. */
const DRAWING = new RegExp(`^(?:\\r|${ESCAPE}\\[\\d{0,4}[AJK])+`)
/** Control characters but for tabs and line breaks, and marks that turn the direction of text. */
const OBEYED = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.source
const UNASKED = new RegExp(`(${COLOUR}|[\\t\\n])|${OBEYED}`, 'gu')

/** Whatever nodes, commits and servers wrote: a terminal obeys none of it. */
export function terminalText(text: string): string {
  const drawing = DRAWING.exec(text)?.[0] ?? ''
  return drawing + text.slice(drawing.length).replace(UNASKED, (_, kept: string | undefined) => kept ?? ' ')
}

/** The same, for all that a command prints. */
export function guarded(io: CliIo): CliIo {
  return {
    ...io,
    stdout: (text) => io.stdout(terminalText(text)),
    stderr: (text) => io.stderr(terminalText(text)),
    get columns() {
      return io.columns
    },
    get rows() {
      return io.rows
    },
  }
}
