import * as z from 'zod'
import { expectation } from './expectation.ts'
import { remedyForKey } from './kubelet-knowledge/meant-flag.ts'
import { meantVersion } from './kubelet-knowledge/versions.ts'
import { MAX_ISSUES } from './parse-yaml.ts'
import type { Place, Problem } from './problem.ts'
import { fieldsOf, schemaAt } from './schema-shape.ts'
import type { Path, Source } from './source.ts'
import { didYouMean, didYouMeanZone, nearest } from './suggest.ts'

/** A document that its schema did not accept. Paths are within the document. */
export interface Rejected {
  readonly schema: z.core.$ZodType
  readonly value: unknown
  readonly source: Source
}

type Issue = z.core.$ZodIssue

/** A field that is only misspelt is one mistake: that the right one is missing goes without saying. Of thousands, the first ones. */
export function explainIssues(issues: readonly Issue[], document: Rejected): Problem[] {
  const first = issues.flatMap(oneFieldEach).slice(0, MAX_ISSUES)
  const meant = new Set(first.flatMap((issue) => fieldsMeant(issue, document)))
  return first.filter(({ path }) => !meant.has(path.join('.'))).flatMap((issue) => explainIssue(issue, document))
}

function oneFieldEach(issue: Issue): Issue[] {
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => ({ ...issue, keys: [key] })) : [issue]
}

/** Paths of the fields that unknown ones were likely meant to be. */
function fieldsMeant(issue: Issue, { schema, value }: Rejected): string[] {
  if (issue.code !== 'unrecognized_keys') return []
  const path = issue.path as Path
  const known = fieldsOf(schemaAt(schema, path))
  const near = issue.keys.flatMap((key) => nearest(key, known) ?? [])
  return near
    .map((name) => [...path, name])
    .filter((each) => valueAt(value, each) === undefined)
    .map((each) => each.join('.'))
}

/** What a person needs to mend what the schema found. One issue may be several problems: each unknown field stands at its own place. */
export function explainIssue(found: Issue, document: Rejected): Problem[] {
  return nearestBranch(found).flatMap((issue) => {
    const path = issue.path as Path
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownField(key, path, document))
    if (valueAt(document.value, path) === undefined) return [missingField(path, issue, document)]
    if (issue.code === 'invalid_key') return [invalid(document.source.whereKey(path), invalidKey(path, issue))]
    return [invalid(document.source.where(path), invalidValue(path, issue, document))]
  })
}

function invalid(at: Place, said: Pick<Problem, 'message' | 'remedy'>): Problem {
  return { severity: 'error', reason: 'InvalidValue', at, ...said }
}

/** A value that may be written in several ways is judged by the one it was meant to be: the one that fits on the outside. */
function nearestBranch(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const inner = issue.errors.filter((branch) => branch.every(({ path, code }) => path.length > 0 || code === 'unrecognized_keys'))
  const [branch] = inner.length === 1 ? inner : []
  return branch ? branch.flatMap((nested) => nearestBranch({ ...nested, path: [...issue.path, ...nested.path] })) : [issue]
}

function invalidKey(path: Path, issue: Issue): Pick<Problem, 'message' | 'remedy'> {
  const remedy = path.at(-2) === 'flags' ? remedyForKey(String(path.at(-1))) : undefined
  return { message: expectation(issue), remedy }
}

function unknownField(key: string, path: Path, { schema, source }: Rejected): Problem {
  const known = fieldsOf(schemaAt(schema, path))
  const remedy = didYouMean(key, known) ?? (known.length > 0 ? `known here: ${known.join(', ')}` : undefined)
  return {
    severity: 'error',
    reason: 'UnknownField',
    at: source.whereKey([...path, key]),
    message: `unknown field "${key}"`,
    remedy,
  }
}

const NAMELESS = 'the document has no name, by which others refer to it'

function missingField(path: Path, issue: Issue, { schema, source }: Rejected): Problem {
  const message = `field "${path.join('.')}" is missing: ${expectation(issue)}`
  const known = fieldsOf(schemaAt(schema, path))
  if (path.join('.') === 'metadata')
    return {
      severity: 'error',
      reason: 'MissingField',
      at: source.where(path),
      message: NAMELESS,
      remedy: 'write  metadata: {name: NAME}',
    }
  const remedy = known.length > 0 ? `known there: ${known.join(', ')}` : undefined
  return { severity: 'error', reason: 'MissingField', at: source.where(path), message, remedy }
}

function invalidValue(path: Path, issue: Issue, document: Rejected): Pick<Problem, 'message' | 'remedy'> {
  const value = valueAt(document.value, path)
  const message = expectation(issue)
  if (value === null) return { message: `${message}; it is empty`, remedy: emptyString(path, document) }
  const text = document.source.textAt(path)
  if (typeof value === 'string') return { message, remedy: mendString(value, path, issue) }
  if (typeof value === 'object' || Number.isNaN(value) || !wantsString(issue, document, path)) return { message }
  return { message: `${message}; ${asRead(text, value)}`, remedy: quoted(text, path, document) }
}

function mendString(value: string, path: Path, issue: Issue): string | undefined {
  if (issue.code === 'invalid_value') return didYouMean(value, issue.values.map(String))
  if (isTimeZone(path)) return didYouMeanZone(value)
  const patch = isVersion(path) ? meantVersion(value) : undefined
  return patch && `write  version: "${patch}"`
}

/** YAML has its own idea of what an unquoted word is, and takes away what made it a version or a file mode. */
function asRead(text: string, value: unknown): string {
  const type = typeof value
  return text === String(value) ? `unquoted, ${text} is a ${type}` : `YAML reads ${text} as the ${type} ${value}`
}

function quoted(text: string, path: Path, { schema }: Rejected): string | undefined {
  const patch = isVersion(path) ? meantVersion(text) : undefined
  if (patch) return `write  version: "${patch}"`
  const expected = schemaAt(schema, path)
  if (!expected || !z.safeParse(expected, text).success) return undefined
  return `write  ${typeof path.at(-1) === 'string' ? `${path.at(-1)}: ` : ''}"${text}"`
}

/** A label whose value is empty is written so by many, and means null. */
function emptyString(path: Path, { schema }: Rejected): string | undefined {
  const expected = schemaAt(schema, path)
  const takes = (written: unknown) => expected !== undefined && z.safeParse(expected, written).success
  return takes('') && !takes(0) ? `write  ${path.at(-1)}: ""` : undefined
}

function isVersion(path: Path): boolean {
  return path.at(-1) === 'version' && path.at(-2) === 'kubelet'
}

function isTimeZone(path: Path): boolean {
  return path.at(-1) === 'timeZone' || (path.at(-1) === 'zone' && path.at(-2) === 'time')
}

function wantsString(issue: Issue, { schema }: Rejected, path: Path): boolean {
  if (issue.code === 'invalid_type') return issue.expected === 'string'
  const expected = schemaAt(schema, path)
  return expected !== undefined && z.safeParse(expected, 'a string').success
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (found, step) => (found === null || found === undefined ? undefined : Reflect.get(Object(found), step)),
    value,
  )
}
