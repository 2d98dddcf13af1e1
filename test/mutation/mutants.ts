/** One expression of a source file, changed. */
export interface Mutant {
  readonly line: number
  readonly from: string
  readonly to: string
  /** The whole file with the change. */
  readonly text: string
}

/** What is changed into what. Sources are formatted, so an operator between spaces is none of a type. */
const CHANGES: readonly (readonly [from: RegExp, to: string])[] = [
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ < /g, ' <= '],
  [/ <= /g, ' < '],
  [/ > /g, ' >= '],
  [/ >= /g, ' > '],
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/Math\.min\(/g, 'Math.max('],
  [/Math\.max\(/g, 'Math.min('],
  [/\.some\(/g, '.every('],
  [/\.every\(/g, '.some('],
  [/(?<=[\s(,[:=]|\.\.\.)!(?=[\w(])/g, ''],
  [/(?<=[\s(])true\b/g, 'false'],
  [/(?<=[\s(])false\b/g, 'true'],
]

/** All single changes of a source, in the order of the file. */
export function mutantsOf(source: string): readonly Mutant[] {
  const code = codeOnly(source)
  const found = CHANGES.flatMap(([from, to]) =>
    [...code.matchAll(from)].map((match) => mutantAt(source, { at: match.index, from: match[0], to })),
  )
  return found.filter(({ line }) => !isDeclaration(source.split('\n')[line - 1] ?? '')).sort((a, b) => a.line - b.line)
}

function mutantAt(source: string, { at, from, to }: { readonly at: number; readonly from: string; readonly to: string }): Mutant {
  const text = source.slice(0, at) + to + source.slice(at + from.length)
  return { line: source.slice(0, at).split('\n').length, from: from.trim(), to: to.trim(), text }
}

/** Of a type: no program runs there. */
function isDeclaration(line: string): boolean {
  return /^\s*(readonly|import|export type|export interface|type|interface|\|)\b/.test(line) || /^\s*\| /.test(line)
}

const NOT_CODE = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g

/** The same length, with comments and texts blank. */
function codeOnly(source: string): string {
  return source.replace(NOT_CODE, (text) => text.replace(/[^\n]/g, '_'))
}
