import { isDeepStrictEqual } from 'node:util'
import type { PatchOperation } from '../schema/cluster.ts'
import { childOf, type ListTree, type MapTree, plainOf, type ValueTree } from './value-tree.ts'

/** An operation that cannot be done. */
export class PatchError extends Error {
  override readonly name = 'PatchError'
}

/** RFC 7396: members merge, null removes, everything else replaces. */
export function mergeTrees(target: ValueTree | undefined, patch: ValueTree): ValueTree {
  if (patch.kind !== 'map') return patch
  const base = target?.kind === 'map' ? target : undefined
  const members = new Map(base?.members)
  for (const [key, value] of patch.members) {
    if (value.kind === 'scalar' && value.value === null) members.delete(key)
    else members.set(key, mergeTrees(members.get(key), value))
  }
  return { kind: 'map', origin: base?.origin ?? patch.origin, members }
}

/** @param value of the operation, with its place. @throws {PatchError} */
export function operate(tree: ValueTree, { op, path, from }: PatchOperation, value: ValueTree | undefined): ValueTree {
  switch (op) {
    case 'add':
      return add(tree, path, value as ValueTree)
    case 'remove':
      return remove(tree, path)
    case 'replace':
      return add(remove(tree, path), path, value as ValueTree)
    case 'copy':
      return add(tree, path, existing(tree, from ?? ''))
    case 'move':
      return move(tree, path, from ?? '')
    case 'test':
      if (isDeepStrictEqual(plainOf(existing(tree, path)), plainOf(value as ValueTree))) return tree
      throw new PatchError(`"${path}" is ${JSON.stringify(plainOf(existing(tree, path)))}`)
  }
}

function move(tree: ValueTree, path: string, from: string): ValueTree {
  if (path.startsWith(`${from}/`)) throw new PatchError(`"${from}" cannot be moved into itself`)
  return add(remove(tree, from), path, existing(tree, from))
}

function add(tree: ValueTree, path: string, value: ValueTree): ValueTree {
  return atParent(tree, path, (parent, step) => {
    if (parent.kind === 'map') return { ...parent, members: new Map(parent.members).set(step, value) }
    const index = step === '-' ? parent.items.length : indexIn(step, { path, count: parent.items.length + 1 })
    return { ...parent, items: parent.items.toSpliced(index, 0, value) }
  })
}

function remove(tree: ValueTree, path: string): ValueTree {
  existing(tree, path)
  return atParent(tree, path, (parent, step) => {
    if (parent.kind === 'list') return { ...parent, items: parent.items.toSpliced(Number(step), 1) }
    return { ...parent, members: new Map([...parent.members].filter(([key]) => key !== step)) }
  })
}

/** The tree with another parent of what the pointer leads to. */
function atParent(
  tree: ValueTree,
  path: string,
  change: (parent: MapTree | ListTree, step: string) => MapTree | ListTree,
): ValueTree {
  const [first = '', ...rest] = stepsOf(path)
  const descend = (node: ValueTree, step: string, left: readonly string[]): ValueTree => {
    if (node.kind === 'scalar') throw missing(path)
    const [next, ...further] = left
    if (next === undefined) return change(node, step)
    const child = stepInto(node, step, path)
    return withChild(node, step, descend(child, next, further))
  }
  return descend(tree, first, rest)
}

function withChild(node: MapTree | ListTree, step: string, child: ValueTree): ValueTree {
  if (node.kind === 'map') return { ...node, members: new Map(node.members).set(step, child) }
  return { ...node, items: node.items.with(Number(step), child) }
}

function existing(tree: ValueTree, path: string): ValueTree {
  return stepsOf(path).reduce((node, step) => stepInto(node, step, path), tree)
}

function stepInto(node: ValueTree, step: string, path: string): ValueTree {
  const child = childOf(node, node.kind === 'list' ? indexIn(step, { path, count: node.items.length }) : step)
  if (child === undefined) throw missing(path)
  return child
}

function indexIn(step: string, { path, count }: { readonly path: string; readonly count: number }): number {
  if (!/^(?:0|[1-9]\d{0,6})$/.test(step) || Number(step) >= count) throw missing(path)
  return Number(step)
}

function missing(path: string): PatchError {
  return new PatchError(`there is nothing at "${path}"`)
}

function stepsOf(path: string): string[] {
  return path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}
