/** One `NAME=value` of an environment file. Its raw text, quotes included, goes from `valueStart` to `valueEnd`. */
export interface VariableAssignment {
  readonly name: string
  readonly value: string
  readonly start: number
  readonly valueStart: number
  readonly valueEnd: number
}

/** A comment that ends in a backslash takes the next line with it: so it was before systemd 254, and enterprise releases still do it. */
const COMMENT = /[#;](?:\\[\s\S]|[^\\\n\r])*/y
const KEY = /[^\n\r][^=\n\r]*/y
const BLANKS = /[ \t]*/y
const SINGLE_QUOTED = /'([^']*)'?/y
const DOUBLE_QUOTED = /"((?:\\[\s\S]|[^"\\])*)(?:"|\\?$)/y
const UNQUOTED = /((?:\\[\s\S]|[^\\\n\r])*(?:\\$)?)/y

/** The assignments of an environment file in their order, by systemd's rules (systemd.exec(5), `EnvironmentFile=`). */
export function scanAssignments(text: string): VariableAssignment[] {
  const found: VariableAssignment[] = []
  for (let at = 0; at < text.length; ) {
    const character = text.charAt(at)
    if (' \t\n\r'.includes(character)) at++
    else if ('#;'.includes(character)) at += matchAt(COMMENT, text, at)[0].length
    else {
      const key = matchAt(KEY, text, at)[0]
      const keyEnd = at + key.length
      const assignment =
        text.charAt(keyEnd) === '=' ? { name: key.replace(/[ \t]+$/, ''), start: at, ...scanValue(text, keyEnd + 1) } : undefined
      if (assignment !== undefined) found.push(assignment)
      at = assignment?.valueEnd ?? keyEnd
    }
  }
  return found
}

/** Quoted parts may follow each other, with blanks between; the first character outside quotes makes the rest of the line plain text. */
function scanValue(text: string, valueStart: number): Pick<VariableAssignment, 'value' | 'valueStart' | 'valueEnd'> {
  let value = ''
  let at = valueStart
  for (;;) {
    at += matchAt(BLANKS, text, at)[0].length
    const opening = text.charAt(at)
    const part = partAt(text, at)
    value += part.value
    at += part.length
    if (opening !== "'" && opening !== '"') return { value, valueStart, valueEnd: at }
  }
}

function partAt(text: string, at: number): { readonly value: string; readonly length: number } {
  const kind = { "'": SINGLE_QUOTED, '"': DOUBLE_QUOTED }[text.charAt(at)] ?? UNQUOTED
  const [raw, inner] = matchAt(kind, text, at)
  const value = kind === SINGLE_QUOTED ? inner : kind === DOUBLE_QUOTED ? unescapeQuoted(inner) : unescapePlain(inner)
  return { value, length: raw.length }
}

function unescapeQuoted(inner: string): string {
  return inner.replace(/\\([\s\S])/g, (both, character) =>
    '"\\`$'.includes(character) ? character : character === '\n' ? '' : both,
  )
}

/** Blanks at the end do not count unless they are escaped; an escaped line break vanishes. */
function unescapePlain(inner: string): string {
  const tokens = inner.match(/\\?[\s\S]/g) ?? []
  const last = tokens.findLastIndex((token) => token !== ' ' && token !== '\t')
  return tokens
    .slice(0, last + 1)
    .map((token) => (token.startsWith('\\') ? token.slice(1).replace(/[\n\r]/, '') : token))
    .join('')
}

/** A pattern that does not match here takes nothing. */
function matchAt(pattern: RegExp, text: string, at: number): readonly [all: string, inner: string] {
  pattern.lastIndex = at
  const found = pattern.exec(text)
  return [found?.[0] ?? '', found?.[1] ?? '']
}
