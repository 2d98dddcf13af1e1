import { MAX_DEPTH, MAX_YAML_BYTES } from '../parse-yaml.ts'
import type { ValueTree } from './value-tree.ts'

interface Extent {
  /** Values, and the characters of texts and keys. */
  readonly size: number
  readonly depth: number
  readonly values: number
}

/** A patch may be for thousands of documents. */
const MOST_COPIED = 1000

/** Parts of trees are shared: what is copied a hundred times is measured once. */
const measured = new WeakMap<ValueTree, Extent>()

/** Patches and variables can make a document of any size out of a few lines. It may be as large as a file. @returns what is too much */
export function excessOf(tree: ValueTree, mostValues: number): string | undefined {
  const { size, depth, values } = extentOf(tree)
  if (values > mostValues) return `operations copy more than ${MOST_COPIED} values within the document`
  if (size > MAX_YAML_BYTES) return `the document becomes larger than ${MAX_YAML_BYTES} bytes`
  return depth > MAX_DEPTH ? `the document becomes nested deeper than ${MAX_DEPTH}` : undefined
}

/** The most values that a document of these parts may have: so many more than are written can only come from copies. */
export function mostValuesOf(written: readonly ValueTree[]): number {
  return written.reduce((sum, tree) => sum + extentOf(tree).values, MOST_COPIED)
}

/** Values, and the characters of texts and keys. */
export function sizeOf(tree: ValueTree): number {
  return extentOf(tree).size
}

function extentOf(tree: ValueTree): Extent {
  const known = measured.get(tree)
  if (known) return known
  const extent = measure(tree)
  measured.set(tree, extent)
  return extent
}

function measure(tree: ValueTree): Extent {
  if (tree.kind === 'scalar') return { size: typeof tree.value === 'string' ? 1 + tree.value.length : 1, depth: 0, values: 1 }
  const children = (tree.kind === 'list' ? tree.items : [...tree.members.values()]).map(extentOf)
  const keys = tree.kind === 'list' ? 0 : [...tree.members.keys()].reduce((sum, key) => sum + key.length, 0)
  return {
    size: children.reduce((sum, { size }) => sum + size, 1 + keys),
    values: children.reduce((sum, { values }) => sum + values, 1),
    depth: 1 + children.reduce((most, { depth }) => Math.max(most, depth), 0),
  }
}
