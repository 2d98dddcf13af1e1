import { type Document, isAlias, isCollection, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml'
import type { SourceMap } from './model.ts'
import { type ParsedYaml, parseYaml, type Range } from './parse-yaml.ts'
import type { Place } from './problem.ts'

export type Path = readonly (string | number)[]

/** Where the parts of one document stand, by their path within the spec. */
export interface Source extends SourceMap {
  where(path: Path): Place
  /** The place of the key itself, where `where` gives that of the value. */
  whereKey(path: Path): Place
  /** As it is written, quotes and all; empty when the path is not there. */
  textAt(path: Path): string
}

/** One file's text. Positions are wanted rarely, and by parsing again: kept for each of thousands of files they would cost far more. */
export class YamlText {
  readonly file: string
  readonly text: string
  #parsed: ParsedYaml | undefined
  /** The one that was asked for last: a file of one line may have thousands of mistakes. */
  #line: { readonly start: number; readonly text: string } | undefined

  constructor(file: string, text: string) {
    this.file = file
    this.text = text
  }

  get parsed(): ParsedYaml {
    this.#parsed ??= parseYaml(this.text)
    return this.#parsed
  }

  /** Lets go of what `parsed` gave; it comes again when asked for. */
  forget(): void {
    this.#parsed = undefined
  }

  place([start, end]: Range): Place {
    const { line, col } = this.parsed.lines.linePos(start)
    const text = this.#lineFrom(start - (col - 1))
    return { file: this.file, line, column: col, text, width: Math.max(1, Math.min(end - start, text.length - (col - 1))) }
  }

  #lineFrom(start: number): string {
    if (this.#line?.start !== start) {
      const end = this.text.indexOf('\n', start)
      this.#line = { start, text: this.text.slice(start, end === -1 ? undefined : end).replace(/\r$/, '') }
    }
    return this.#line.text
  }
}

/** @param toDocument turns a path within the spec into one within the document. */
export function sourceOf(yaml: YamlText, index: number, toDocument: (path: Path) => Path): Source {
  const find = (path: Path) => lookup(yaml.parsed.documents[index], toDocument(path))
  return {
    where: (path) => {
      const { key, value, exact } = find(path)
      const meant = exact && isScalar(value) && rangeOf(value)[0] < rangeOf(value)[1] ? value : (key ?? value)
      return yaml.place(meant ? rangeOf(meant) : [0, 0])
    },
    whereKey: (path) => {
      const { key, value } = find(path)
      return yaml.place(rangeOf(key ?? value))
    },
    textAt: (path) => {
      const { value, exact } = find(path)
      return exact && value ? yaml.text.slice(...rangeOf(value)) : ''
    },
  }
}

/** The same places by other paths. */
export function withinDocument(whole: Source, toDocument: (path: Path) => Path): Source {
  return {
    where: (path) => whole.where(toDocument(path)),
    whereKey: (path) => whole.whereKey(toDocument(path)),
    textAt: (path) => whole.textAt(toDocument(path)),
  }
}

interface Found {
  readonly key: Node | null
  readonly value: Node | null
  /** Whether the whole path was there; else this is the nearest parent. */
  readonly exact: boolean
}

function lookup(document: Document.Parsed | undefined, path: Path): Found {
  let found: Found = { key: null, value: document?.contents ?? null, exact: true }
  for (const step of path) {
    const next = child(document, found.value, step)
    if (!next) return { ...found, exact: false }
    found = { ...next, exact: true }
  }
  return found
}

function child(
  document: Document.Parsed | undefined,
  parent: Node | null,
  step: string | number,
): Omit<Found, 'exact'> | undefined {
  const node = isAlias(parent) && document ? parent.resolve(document) : parent
  if (!isCollection(node)) return undefined
  if (isSeq(node)) {
    const item = node.items[Number(step)]
    return item === undefined ? undefined : { key: null, value: item as Node | null }
  }
  if (!isMap(node)) return undefined
  const pair = pairOf(node, String(step))
  return pair && { key: pair.key as Node, value: pair.value as Node | null }
}

/** By key, of maps that were looked into: thousands of places may be asked for in one. */
const pairs = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>()

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  const known = pairs.get(map) ?? byKey(map)
  pairs.set(map, known)
  return known.get(key)
}

/** Of a key that is there twice, the first. */
function byKey({ items }: YAMLMap): ReadonlyMap<string, Pair> {
  const named = items.flatMap((pair) => (isScalar(pair.key) ? [[String(pair.key.value), pair] as const] : []))
  return new Map(named.toReversed())
}

/** Of a node that spans lines, the first character: the rest is not on the line that is shown. */
function rangeOf(node: Node | null): [number, number] {
  return node?.range ? [node.range[0], node.range[1]] : [0, 0]
}
