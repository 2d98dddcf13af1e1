import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  LineCounter,
  type Node,
  parseAllDocuments,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'

/** Where in the text something is: offsets, end exclusive. */
export type Range = readonly [start: number, end: number]

export interface YamlIssue {
  readonly reason: 'MalformedYaml' | 'DuplicateKey'
  readonly remedy?: string
  readonly range: Range
  readonly message: string
}

export interface ParsedYaml {
  readonly documents: readonly Document.Parsed[]
  readonly lines: LineCounter
}

/** A fleet's documents are a few kilobytes; the bounds keep hostile ones from costing time or memory. */
export const MAX_YAML_BYTES = 1024 * 1024
export const MAX_DEPTH = 64
const MAX_ALIASES = 100
/** A file with thousands of errors is reported by the first of them. */
export const MAX_ISSUES = 100
/** Most often `{{ … }}` without quotes, which YAML takes for a map that is the key of another. */
const BRACES = 'a map or a list cannot be a key; a text that begins with "{" or "[" must be quoted, templates too'
const INDENT_WITH_SPACES = 'replace each tab at the beginning of the line with two spaces'
const KEY_IN_VALUE = 'this value is on the line of its key, and cannot have keys of its own'
const QUOTE_OR_INDENT = 'quote a value that contains ": ", or correct the indentation of the lines below it'
/** The parser's own message of a key without ":", which has the code of other missing characters. */
const NO_COLON = 'Implicit map keys need to be followed by map values'
const MISSING_COLON = 'a ":" is missing after this key'
const COLON_OR_INDENT = 'write the ":", or correct the indentation'
const TOO_DEEP = `collections may be nested at most ${MAX_DEPTH} deep`

export function parseYaml(text: string): ParsedYaml {
  const lines = new LineCounter()
  // Duplicate keys are looked for below: the parser's own search compares each key with each.
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    stringKeys: true,
    logLevel: 'silent',
  })
  return { documents: Array.isArray(documents) ? documents : [], lines }
}

/** What makes a document unfit to be read, with nothing of its meaning looked at. At most `MAX_ISSUES`. */
export function yamlIssues(document: Document.Parsed, text: string): YamlIssue[] {
  const exhausted = document.errors.find(({ code }) => code === 'RESOURCE_EXHAUSTION')
  if (exhausted) return [issue(exhausted.pos, TOO_DEEP)]
  const unclosed = unclosedQuote(document) ?? unclosedBracket(document, text)
  if (unclosed) return [unclosed]
  const malformed = firstCauses(document)
    .slice(0, MAX_ISSUES)
    .map((found) => parserIssue(found, text))
  if (malformed.length > 0 || document.contents === null) return malformed
  const found: YamlIssue[] = []
  inspect(document.contents, { found, aliases: 0, open: [] })
  return found.slice(0, MAX_ISSUES)
}

type ParserFinding = Document.Parsed['errors' | 'warnings'][number]

/** Without what only follows from another finding: lines after a tab, and a key below a value. */
function firstCauses({ errors, warnings }: Document.Parsed): ParserFinding[] {
  const tabs = errors.filter(({ code }) => code === 'TAB_AS_INDENT')
  if (tabs.length > 0) return tabs
  const nested = new Set(errors.flatMap(({ code, pos }) => (code === 'BLOCK_AS_IMPLICIT_KEY' ? [pos[0]] : [])))
  return [...errors, ...warnings].filter(({ code, pos }) => code !== 'MULTILINE_IMPLICIT_KEY' || !nested.has(pos[0]))
}

function parserIssue({ pos, code, message }: ParserFinding, text: string): YamlIssue {
  if (code === 'TAB_AS_INDENT') return { ...issue(pos, 'YAML does not allow a tab as indentation'), remedy: INDENT_WITH_SPACES }
  if (code === 'BLOCK_AS_IMPLICIT_KEY') return { ...issue(pos, KEY_IN_VALUE), remedy: QUOTE_OR_INDENT }
  if (code === 'MULTILINE_IMPLICIT_KEY' || message === NO_COLON) return { ...issue(pos, MISSING_COLON), remedy: COLON_OR_INDENT }
  if (code === 'BAD_INDENT') return issue(pastComments(pos, text), message)
  return issue(pos, code === 'NON_STRING_KEY' ? BRACES : message)
}

/** To the parser, comments and empty lines belong to what comes after them. */
function pastComments(range: Range, text: string): Range {
  const [before] = /^[ \t]*(?:(?:#.*)?\r?\n[ \t]*)+/.exec(text.slice(range[0])) ?? []
  const start = range[0] + (before?.length ?? 0)
  return before === undefined || start >= text.length ? range : [start, start + 1]
}

/** The parser tells of it where the text ends; what else it finds on the way there is what the quote swallowed. */
function unclosedQuote({ errors, contents }: Document.Parsed): YamlIssue | undefined {
  const end = errors.find(({ code, message }) => code === 'MISSING_CHAR' && /^Missing closing .quote/.test(message))?.pos[0]
  const opened: number[] = []
  if (end !== undefined) visit(contents, { Scalar: (_, { range }) => void (range?.[1] === end && opened.push(range[0])) })
  const [start] = opened
  return start === undefined ? undefined : issue([start, start + 1], 'a quote is opened here, and closed nowhere')
}

/** The same: the parser goes on as if what comes below belonged into the brackets. */
function unclosedBracket({ errors, contents }: Document.Parsed, text: string): YamlIssue | undefined {
  const missing = errors.find(({ message }) => /^Flow (?:map|sequence) .*must .*end with a [}\]]$/.test(message))
  const opened: (YAMLMap | YAMLSeq)[] = []
  const look = (_: unknown, node: YAMLMap | YAMLSeq) => void (node.range?.[1] === missing?.pos[0] && opened.push(node))
  if (missing) visit(contents, { Map: look, Seq: look })
  // In a list in brackets, `key: value` is a map of its own that has no brace.
  const innermost = opened.findLast(({ flow, range }) => flow && /[[{]/.test(text.charAt(range?.[0] ?? 0)))
  if (!innermost?.range) return undefined
  const [start] = innermost.range
  const [what, end] = isMap(innermost) ? ['map', '}'] : ['list', ']']
  return issue([start, start + 1], `a ${what} is opened here, and its "${end}" is missing or not indented enough`)
}

/** @throws {ReferenceError} when an alias leads nowhere, or to too much. */
export function plainValue(document: Document.Parsed): unknown {
  return document.toJS({ maxAliasCount: MAX_ALIASES })
}

interface Inspection {
  readonly found: YamlIssue[]
  aliases: number
  /** The collections around the node that is looked at. */
  readonly open: (Node | null)[]
}

function inspect(node: Node | null, inspection: Inspection): void {
  const { found, open } = inspection
  if (isAlias(node)) found.push(...aliasIssues(node, inspection))
  if (!isCollection(node)) return
  if (open.length === MAX_DEPTH) {
    found.push(issue(rangeOf(node), TOO_DEEP))
    return
  }
  if (isMap(node)) found.push(...keyIssues(node.items))
  open.push(node)
  for (const item of node.items) inspect((isPair(item) ? item.value : item) as Node | null, inspection)
  open.pop()
}

function aliasIssues(alias: Alias, inspection: Inspection): YamlIssue[] {
  inspection.aliases += 1
  if (inspection.aliases === MAX_ALIASES + 1)
    return [issue(rangeOf(alias), `at most ${MAX_ALIASES} aliases may stand in a document`)]
  const circular = inspection.open.some((node) => node !== null && !isAlias(node) && node.anchor === alias.source)
  return circular ? [issue(rangeOf(alias), `alias "${alias.source}" leads to what it is part of`)] : []
}

function keyIssues(pairs: readonly { readonly key: unknown }[]): YamlIssue[] {
  const seen = new Set<unknown>()
  return pairs.flatMap(({ key }): YamlIssue[] => {
    if (!isScalar(key)) return []
    if (key.value === '__proto__') return [issue(rangeOf(key), 'a key may not be "__proto__"')]
    if (seen.has(key.value))
      return [{ ...issue(rangeOf(key), `"${String(key.value)}" is defined twice`), reason: 'DuplicateKey', remedy: KEEP_ONE }]
    seen.add(key.value)
    return []
  })
}

const KEEP_ONE = 'keep one of them; several values of one flag are a list'

function issue(range: Range, message: string): YamlIssue {
  return { reason: 'MalformedYaml', range, message }
}

function rangeOf(node: Node): Range {
  return node.range ? [node.range[0], node.range[1]] : [0, 0]
}
