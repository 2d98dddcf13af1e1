import { COMMENT, type FileEdits, LINES } from '../../protocol/file-edits.ts'

/** A text of others with blocks of ours in it, line by line. */
type Part = { readonly others: string } | { readonly name: string }

interface Marked {
  readonly parts: readonly Part[]
  /** Whether the last line, which is one of others, has its end. */
  readonly isEnded: boolean
  /** Of a block that begins and does not end, or ends and does not begin. */
  readonly damaged: string | undefined
}

/** Editors of others add blanks at the end, or a return. */
const MARK = /^(\S{1,4}) (BEGIN|END) nodewave ([a-z0-9.-]+)\s*$/

/** Pure. @returns the name of a block whose extent nobody knows, since one of its marks is missing */
export function damagedBlock(text: string): string | undefined {
  return readMarked(text).damaged
}

/**
 * Pure: the text with these blocks and lines, and without other ones of ours. A block stays where it is, a new one comes last. A line that
 * stands among those of others is not added.
 */
export function withEdits(text: string, { blocks = [], lines = [], comment = COMMENT }: FileEdits): string {
  const { parts, isEnded } = readMarked(text)
  const theirs = new Set(parts.map((part) => ('others' in part ? part.others.replace(/\r$/, '') : undefined)))
  const added = [...new Set(lines)].filter((line) => !theirs.has(line))
  const left = new Map(blocks.map(({ name, content }) => [name, linesOf(content)]))
  if (added.length > 0) left.set(LINES, added)
  const kept = parts.flatMap((part) => {
    if ('others' in part) return [part.others]
    const content = left.get(part.name)
    left.delete(part.name)
    return content === undefined ? [] : marked(part.name, content, comment)
  })
  const fresh = [...left].flatMap(([name, content]) => marked(name, content, comment))
  return textOf([...kept, ...fresh], isEnded || fresh.length > 0)
}

/** Pure: the text as it is without us. Of a block that has only one mark, no more than that is known to be ours. */
export function withoutEdits(text: string): string {
  const { parts, isEnded } = readMarked(text)
  const others = parts.flatMap((part) => ('others' in part && !MARK.test(part.others) ? [part.others] : []))
  return textOf(others, isEnded)
}

function textOf(lines: readonly string[], isEnded: boolean): string {
  return lines.length === 0 ? '' : `${lines.join('\n')}${isEnded ? '\n' : ''}`
}

/** No block has marks in it: one that begins ends at the next mark, or nobody knows where. */
function readMarked(text: string): Marked {
  const lines = linesOf(text)
  const marks = lines.map((line) => MARK.exec(line))
  const parts: Part[] = []
  let damaged: string | undefined
  for (let at = 0; at < lines.length; at++) {
    const [, sign, side, name = ''] = marks[at] ?? []
    const next = side === 'BEGIN' ? marks.findIndex((mark, index) => index > at && mark !== null) : -1
    const [, endSign, endSide, endName] = marks[next] ?? []
    const isBlock = endSide === 'END' && endSign === sign && endName === name
    if (side !== undefined && !isBlock) damaged ??= name
    parts.push(isBlock ? { name } : { others: lines[at] ?? '' })
    if (isBlock) at = next
  }
  const last = parts.at(-1)
  return { parts, damaged, isEnded: text.endsWith('\n') || (last !== undefined && 'name' in last) }
}

function marked(name: string, content: readonly string[], comment: string): string[] {
  return [`${comment} BEGIN nodewave ${name}`, ...content, `${comment} END nodewave ${name}`]
}

function linesOf(text: string): string[] {
  if (text === '') return []
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}
