import type { RepoFile } from '../protocol/repo-snapshot.ts'
import { type Problem, wholeFile } from './problem.ts'

/** Names files of other tools, at the top of the fleet's folder; the form is that of .gitignore, with less in it. */
export const IGNORE_FILE = '.nodewaveignore'

const MOST_PATTERNS = 1000
const LONGEST_PATTERN = 256

export interface IgnoredFiles {
  readonly isIgnored: (path: string) => boolean
  readonly problems: readonly Problem[]
}

/** Of a folder: `**` is any number of folders, `*` any text in a name, `?` one character. */
interface Pattern {
  /** Names from the top; of one name alone, at any depth. */
  readonly names: readonly string[]
  readonly isAnchored: boolean
  /** It names folders only, as `charts/`. */
  readonly ofFolders: boolean
}

const NOTHING: IgnoredFiles = { isIgnored: () => false, problems: [] }

/** A file that cannot be read ignores nothing, and is an error: half of it would be another repository. */
export function ignoredFiles(files: ReadonlyMap<string, RepoFile>): IgnoredFiles {
  const file = files.get(IGNORE_FILE)
  if (file === undefined) return NOTHING
  if (file.kind !== 'file') return { ...NOTHING, problems: [unreadable('expected a file of text')] }
  const lines = new TextDecoder()
    .decode(file.bytes)
    .split('\n')
    .map((line) => line.trim())
  const stated = lines.flatMap((text, index) => (text === '' || text.startsWith('#') ? [] : [{ text, line: index + 1 }]))
  if (stated.length > MOST_PATTERNS)
    return { ...NOTHING, problems: [unreadable(`expected at most ${MOST_PATTERNS} patterns; the file has ${stated.length}`)] }
  const problems = stated.flatMap(problemOf)
  if (problems.length > 0) return { ...NOTHING, problems }
  const patterns = stated.map(({ text }) => patternOf(text))
  return { isIgnored: (path) => patterns.some((pattern) => covers(pattern, path.split('/'))), problems }
}

function unreadable(message: string): Problem {
  return { severity: 'error', reason: 'UnreadableFile', at: wholeFile(IGNORE_FILE), message }
}

interface Stated {
  readonly text: string
  readonly line: number
}

function problemOf({ text, line }: Stated): Problem[] {
  const problem = (message: string, remedy: string): Problem[] => {
    const at = { file: IGNORE_FILE, line, column: 1, text, width: text.length }
    return [{ severity: 'error', reason: 'InvalidValue', at, message, remedy }]
  }
  if (text.length > LONGEST_PATTERN)
    return problem(`expected a pattern of at most ${LONGEST_PATTERN} characters`, 'shorten it with "*"')
  if (text.startsWith('!')) return problem('a pattern that begins with "!" is not supported', 'name what is ignored only')
  if (/[[\]\\]/.test(text)) return problem('"[", "]" and "\\" are not supported', 'use "?" for one character, "*" for any text')
  return []
}

function patternOf(text: string): Pattern {
  const names = text.split('/').filter((name) => name !== '')
  return { names, isAnchored: /\/./.test(text), ofFolders: text.endsWith('/') }
}

/** Of a path, whether the pattern is that of the file or of a folder above it. */
function covers({ names, isAnchored, ofFolders }: Pattern, path: readonly string[]): boolean {
  const most = ofFolders ? path.length - 1 : path.length
  if (!isAnchored) return path.slice(0, most).some((name) => matches(names[0] ?? '', name))
  // Which beginnings of the path the names up to here can be: one pass for each name, however many "**" there are.
  let ends = new Set([0])
  for (const name of names) ends = name === '**' ? fromFirst(ends, path.length) : next(ends, name, path)
  return [...ends].some((end) => end > 0 && end <= most)
}

function next(ends: ReadonlySet<number>, name: string, path: readonly string[]): Set<number> {
  return new Set([...ends].flatMap((end) => (end < path.length && matches(name, path[end] ?? '') ? [end + 1] : [])))
}

function fromFirst(ends: ReadonlySet<number>, most: number): Set<number> {
  const first = Math.min(...ends)
  return new Set(Array.from({ length: Math.max(0, most - first + 1) }, (_, index) => first + index))
}

/** A "*" that took too little takes one more; those before it stay, so it ends soon whatever is written. */
function matches(pattern: string, name: string): boolean {
  let [at, from, star, taken] = [0, 0, -1, 0]
  while (from < name.length) {
    if (pattern[at] === '*') [star, taken, at] = [at, from, at + 1]
    else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === name[from])) [at, from] = [at + 1, from + 1]
    else if (star >= 0) [at, from, taken] = [star + 1, taken + 1, taken + 1]
    else return false
  }
  return /^\**$/.test(pattern.slice(at))
}
