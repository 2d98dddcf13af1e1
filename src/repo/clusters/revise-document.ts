import type { Kind } from '../kinds.ts'
import type { Problem } from '../problem.ts'
import { KUBELET_API_VERSION } from '../schema/kubelet-config.ts'
import type { Path, Source } from '../source.ts'
import type { ClusterRevision, Patch } from './cluster-revision.ts'
import { excessOf, mostValuesOf } from './extent.ts'
import { fillVariables } from './fill-variables.ts'
import { mergeTrees, operate, PatchError } from './patch-tree.ts'
import { childOf, type MapTree, plainOf, treeOf, treeSource, type ValueTree } from './value-tree.ts'

/** A document as one cluster has it. */
export interface RevisedDocument {
  readonly value: unknown
  /** Places by paths within the document; those of patches are in the file of the Cluster. */
  readonly whole: Source
  readonly problems: readonly Problem[]
}

/** Patches first, then variables: patches may use them, too. */
export function reviseDocument(
  document: { readonly kind: Kind; readonly name: string; readonly value: unknown; readonly whole: Source },
  { patches, variables }: ClusterRevision,
): RevisedDocument {
  const { kind, name, value, whole } = document
  const meant = patches.filter(({ target }) => target.kind === kind && (target.name ?? name) === name)
  const problems: Problem[] = []
  let tree = asSpecified(treeOf(value, { source: whole, path: [] }))
  const mostValues = mostValuesOf([tree, ...meant.flatMap(writtenIn)])
  for (const patch of meant) tree = patched(tree, { patch, mostValues }, problems)
  const filled = fillVariables(tree, variables)
  const written = isPlain(value) ? asPlain(filled.tree) : filled.tree
  return { value: plainOf(written), whole: treeSource(written), problems: [...problems, ...filled.problems] }
}

function writtenIn({ merge, operations }: Patch): readonly ValueTree[] {
  return [merge ?? [], ...operations.map(({ value }) => value ?? [])].flat()
}

interface BoundedPatch {
  readonly patch: Patch
  readonly mostValues: number
}

function patched(tree: ValueTree, patch: BoundedPatch, problems: Problem[]): ValueTree {
  const spec = childOf(tree, 'spec')
  if (tree.kind !== 'map' || spec === undefined) return tree
  try {
    return withMember(tree, 'spec', apply(spec, patch))
  } catch (error) {
    if (!(error instanceof FailedOperation)) throw error
    const { source, path } = error.origin
    problems.push({ severity: 'error', reason: 'InvalidValue', at: source.where(path), message: error.message })
    return tree
  }
}

class FailedOperation extends Error {
  readonly origin: { readonly source: Source; readonly path: Path }
  constructor(message: string, origin: FailedOperation['origin'], cause: PatchError) {
    super(message, { cause })
    this.origin = origin
  }
}

function apply(spec: ValueTree, { patch: { merge, operations, target, at }, mostValues }: BoundedPatch): ValueTree {
  if (merge) return mergeTrees(spec, merge)
  return operations.reduce((tree, { operation, value }, index) => {
    try {
      return bounded(operate(tree, operation, value), mostValues)
    } catch (error) {
      if (!(error instanceof PatchError)) throw error
      const origin = { source: at.source, path: [...at.path, 'json6902', index, 'path'] }
      throw new FailedOperation(
        `cannot ${operation.op} in ${target.kind} "${target.name ?? 'any'}": ${error.message}`,
        origin,
        error,
      )
    }
  }, spec)
}

/** At once: the next operation may copy it, or compare it. @throws {PatchError} */
function bounded(tree: ValueTree, mostValues: number): ValueTree {
  const excess = excessOf(tree, mostValues)
  if (excess !== undefined) throw new PatchError(excess)
  return tree
}

/** A KubeletConfiguration as the kubelet reads it has its fields beside the head: patches see them as `spec.config`. */
function asSpecified(tree: ValueTree): ValueTree {
  if (tree.kind !== 'map' || !isPlain(plainOf(tree))) return tree
  const [head, fields] = [...tree.members].reduce<[Map<string, ValueTree>, Map<string, ValueTree>]>(
    ([first, rest], [key, member]) => {
      ;(HEAD.has(key) ? first : rest).set(key, member)
      return [first, rest]
    },
    [new Map(), new Map()],
  )
  const config: MapTree = { kind: 'map', origin: tree.origin, members: fields }
  const spec: MapTree = { kind: 'map', origin: tree.origin, members: new Map([['config', config]]) }
  return { ...tree, members: head.set('spec', spec) }
}

function asPlain(tree: ValueTree): ValueTree {
  const config = childOf(childOf(tree, 'spec') ?? tree, 'config')
  if (tree.kind !== 'map' || config?.kind !== 'map') return tree
  const head = [...tree.members].filter(([key]) => HEAD.has(key))
  return { ...tree, members: new Map([...head, ...config.members]) }
}

const HEAD: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

function isPlain(value: unknown): boolean {
  return value !== null && typeof value === 'object' && 'apiVersion' in value && value.apiVersion === KUBELET_API_VERSION
}

function withMember(tree: MapTree, key: string, member: ValueTree): MapTree {
  return { ...tree, members: new Map(tree.members).set(key, member) }
}
