import { compareTexts } from '../protocol/by-text.ts'
import type { Location } from './model.ts'

/** A location with the line that stands there, so that a problem can be shown without the repository at hand. */
export interface Place extends Location {
  readonly text: string
  /** Characters of the line that are meant, from `column` on. */
  readonly width: number
}

/** Stable words for programs; people read the message. */
export type ProblemReason =
  | 'MalformedYaml'
  | 'DuplicateKey'
  | 'UnreadableFile'
  | 'UnknownApiVersion'
  | 'UnknownKind'
  | 'UnknownField'
  | 'MissingField'
  | 'InvalidValue'
  | 'DuplicateName'
  | 'MissingReference'
  | 'DependencyCycle'
  | 'OverlappingPools'
  | 'Conflict'
  | 'MissingChecksum'
  | 'InvalidSecret'
  | 'IncompleteConfig'
  | 'UnknownFlag'
  | 'UnknownFeatureGate'
  | 'UnknownVersion'
  | 'ToldByKubelet'
  | 'VersionSkew'
  | 'CeilingExceeded'
  | 'CertificateEnds'

export interface Problem {
  /** An error makes the commit invalid as a whole; a warning is only shown. */
  readonly severity: 'error' | 'warning'
  readonly reason: ProblemReason
  readonly at: Place
  /** What was expected and what is wrong. */
  readonly message: string
  /** What to do, as a phrase: `did you mean "maxPods"?`. */
  readonly remedy?: string | undefined
  /** Who refers to the place, where it is only wrong in somebody's use. */
  readonly usedBy?: readonly Location[] | undefined
}

/** Columns of a line of text that people read, the place at its beginning included. */
const COLUMNS = 80
/** However long the place is, so much of the line is shown. */
const LEAST_EXCERPT = 40

/** Several lines: the place, the source text with carets below it, what is wrong, what to do. */
export function formatProblem(problem: Problem): string {
  const place = formatLocation(problem.at)
  const { line, offset, width } = excerpt(problem.at, Math.max(LEAST_EXCERPT, COLUMNS - place.length - 2))
  const shown = line === '' ? [place] : [`${place}  ${line}`, `${' '.repeat(place.length + 2 + offset)}${'^'.repeat(width)}`]
  const told = [
    `${problem.severity === 'warning' ? 'warning: ' : ''}${problem.message}`,
    ...(problem.usedBy?.length ? [`used by ${problem.usedBy.map(formatLocation).join(', ')}`] : []),
    ...(problem.remedy ? [problem.remedy] : []),
  ]
  return [...shown, ...told.map((text) => `  ${printable(text)}`)].join('\n')
}

/** Flat and stable, for `-o json`. */
export function problemToJson({ severity, reason, at, message, remedy, usedBy }: Problem) {
  const found = at.text.slice(at.column - 1, at.column - 1 + at.width)
  return { severity, reason, ...flatPlace(at), found, message, remedy, usedBy: usedBy?.map(flatPlace) }
}

/** Places carry more than a location. */
function flatPlace({ file, line, column }: Location): Location {
  return { file, line, column }
}

export function formatLocation({ file, line, column }: Location): string {
  return `${printable(file)}:${line}:${column}`
}

/** In the order in which people read: file by file, from top to bottom. */
export function compareProblems(a: Problem, b: Problem): number {
  return compareTexts(a.at.file, b.at.file) || a.at.line - b.at.line || a.at.column - b.at.column
}

/** Of a file as a whole. */
export function wholeFile(file: string): Place {
  return { file, line: 1, column: 1, text: '', width: 0 }
}

/** The line without its indentation, cut around the place when it is long. */
function excerpt({ text, column, width }: Place, most: number): { line: string; offset: number; width: number } {
  const indent = text.length - text.trimStart().length
  const before = Math.floor(most / 2)
  const isLong = text.trim().length > most
  const start = isLong && column - 1 - indent > before ? column - 1 - before : indent
  const rest = printable(text.slice(start).trimEnd())
  const shown = rest.length > most ? `${rest.slice(0, most - 1)}…` : rest
  const line = start > indent ? `…${shown.slice(1)}` : shown
  const offset = Math.max(0, column - 1 - start)
  return { line, offset, width: Math.max(1, Math.min(width, line.length - offset)) }
}

/** What a repository contains ends up on terminals and in comments: no control characters get there. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, '·')
}
