import type { Json } from '../protocol/digest.ts'
import type { CliIo } from './cli-io.ts'

/** Colours of terminals; every function gives the text back as it is where there are none. */
export interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
}

export function paintFor({ color }: { readonly color: boolean }): Paint {
  const code = (open: number, close: number) => (text: string) => (color ? `\u001b[${open}m${text}\u001b[${close}m` : text)
  return { bold: code(1, 22), dim: code(2, 22), red: code(31, 39), green: code(32, 39), yellow: code(33, 39) }
}

/** A value on one line. Control characters, which could redraw the terminal, come escaped. */
export function shownValue(value: Json | undefined, most = MOST): string {
  if (value === undefined) return '-'
  const text = typeof value === 'string' && value !== '' && !/[\p{Cc}\p{Cf}]/u.test(value) ? value : JSON.stringify(value)
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}

/** Both sides of a change. Long texts begin shortly before the first character that differs, so that the change is seen. */
export function shownChange({ from, to }: { readonly from: Json | undefined; readonly to: Json | undefined }): [string, string] {
  const [before, after] = [shownValue(from, Number.POSITIVE_INFINITY), shownValue(to, Number.POSITIVE_INFINITY)]
  if (Math.max(before.length, after.length) <= MOST) return [before, after]
  let same = 0
  while (same < before.length && before[same] === after[same]) same += 1
  const start = same > LEAD ? same - LEAD : 0
  return [cut(before, start), cut(after, start)]
}

/** Characters of a value that are shown, and of those before the first that differs. */
const MOST = 60
const LEAD = 20

function cut(text: string, start: number): string {
  const rest = start === 0 ? text : `…${text.slice(start)}`
  return rest.length > MOST ? `${rest.slice(0, MOST - 1)}…` : rest
}

/** Columns as wide as their widest cell; the last one is left ragged. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => (column < row.length - 1 ? cell.padEnd(widths[column] ?? 0) : cell))
      .join('  ')
      .trimEnd(),
  )
}

/** `a, b, c and 4 more` */
export function nameList(names: readonly string[], shown = 3): string {
  const rest = names.length - shown
  return rest > 0 ? `${names.slice(0, shown).join(', ')} and ${rest} more` : names.join(', ')
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Where to break lines. What no terminal shows is left whole: people search it by line. */
export function foldAt({ isTTY, columns }: Pick<CliIo, 'isTTY' | 'columns'>): number {
  return isTTY ? columns : Number.POSITIVE_INFINITY
}

/** Breaks a line between words so that it fits; what follows the first line is indented by as much as the line itself, and `by` more. */
export function folded(line: string, { columns, by = 0 }: { readonly columns: number; readonly by?: number }): string {
  const indent = ' '.repeat(line.length - line.trimStart().length + by)
  const lines: string[] = []
  for (const word of line.trim().split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= columns) lines[lines.length - 1] = `${last} ${word}`
    else lines.push((last === undefined ? indent.slice(by) : indent) + word)
  }
  return lines.join('\n')
}
