import { stripVTControlCharacters } from 'node:util'
import type { CliIo } from '../cli-io.ts'

/** Draws lines over those before, in place. */
export function redrawer(io: CliIo): (lines: readonly string[]) => void {
  let height = 0
  return (all) => {
    const { lines, rows } = fitting(all, io)
    io.stdout(`${height > 0 ? `\u001b[${height}A` : ''}\u001b[J${lines.join('\n')}\n`)
    height = rows
  }
}

/** As many lines as the terminal can show: those that scrolled away could not be drawn over. */
function fitting(
  lines: readonly string[],
  { columns, rows }: CliIo,
): { readonly lines: readonly string[]; readonly rows: number } {
  const heights = lines.map((line) => Math.max(1, Math.ceil(stripVTControlCharacters(line).length / columns)))
  const total = heights.reduce((sum, height) => sum + height, 0)
  if (total < rows) return { lines: [...lines], rows: total }
  let [kept, used] = [0, 0]
  while (used + (heights[kept] ?? rows) < rows - 1) used += heights[kept++] ?? 0
  return { lines: [...lines.slice(0, kept), `… ${lines.length - kept} more lines`], rows: used + 1 }
}
