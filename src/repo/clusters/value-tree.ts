import type { Json } from '../../protocol/digest.ts'
import type { Path, Source } from '../source.ts'

/** Where a value was written. */
export interface Origin {
  readonly source: Source
  readonly path: Path
}

/** A value of which each part knows where it was written: documents and patches are in different files. */
export type ValueTree = ScalarTree | MapTree | ListTree

interface ScalarTree {
  readonly kind: 'scalar'
  readonly origin: Origin
  readonly value: Json
}
export interface MapTree {
  readonly kind: 'map'
  readonly origin: Origin
  readonly members: ReadonlyMap<string, ValueTree>
}
export interface ListTree {
  readonly kind: 'list'
  readonly origin: Origin
  readonly items: readonly ValueTree[]
}

export function treeOf(value: unknown, origin: Origin): ValueTree {
  const child = (step: string | number): Origin => ({ ...origin, path: [...origin.path, step] })
  if (Array.isArray(value)) return { kind: 'list', origin, items: value.map((item, index) => treeOf(item, child(index))) }
  if (value === null || typeof value !== 'object') return { kind: 'scalar', origin, value: value as Json }
  const members = Object.entries(value).map(([key, member]) => [key, treeOf(member, child(key))] as const)
  return { kind: 'map', origin, members: new Map(members) }
}

export function plainOf(tree: ValueTree): Json {
  switch (tree.kind) {
    case 'scalar':
      return tree.value
    case 'list':
      return tree.items.map(plainOf)
    case 'map':
      return Object.fromEntries([...tree.members].map(([key, member]) => [key, plainOf(member)]))
  }
}

export function childOf(tree: ValueTree, step: string | number): ValueTree | undefined {
  if (tree.kind === 'map') return tree.members.get(String(step))
  return tree.kind === 'list' ? tree.items[Number(step)] : undefined
}

/** Every scalar replaced. */
export function mapScalars(tree: ValueTree, replace: (scalar: ScalarTree) => ValueTree): ValueTree {
  switch (tree.kind) {
    case 'scalar':
      return replace(tree)
    case 'list':
      return { ...tree, items: tree.items.map((item) => mapScalars(item, replace)) }
    case 'map':
      return { ...tree, members: new Map([...tree.members].map(([key, member]) => [key, mapScalars(member, replace)])) }
  }
}

/** The places of a tree, by paths within it. */
export function treeSource(tree: ValueTree): Source {
  const find = (path: Path) => {
    let found = tree
    for (const step of path) {
      const next = childOf(found, step)
      if (next === undefined) return { ...found.origin, isExact: false }
      found = next
    }
    return { ...found.origin, isExact: true }
  }
  return {
    where: (path) => {
      const { source, path: at } = find(path)
      return source.where(at)
    },
    whereKey: (path) => {
      const { source, path: at } = find(path)
      return source.whereKey(at)
    },
    textAt: (path) => {
      const { source, path: at, isExact } = find(path)
      return isExact ? source.textAt(at) : ''
    },
  }
}
