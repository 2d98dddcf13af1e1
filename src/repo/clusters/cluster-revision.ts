import type { Loaded } from '../draft.ts'
import type { ClusterSpec, PatchOperation, PatchSpec } from '../schema/cluster.ts'
import { sizeOf } from './extent.ts'
import type { Variable, Variables } from './fill-variables.ts'
import { type Origin, treeOf, type ValueTree } from './value-tree.ts'

/** What a Cluster makes of shared documents. */
export interface ClusterRevision {
  readonly patches: readonly Patch[]
  readonly variables: Variables
}

export interface Patch {
  readonly target: PatchSpec['target']
  /** One of the two. */
  readonly merge?: ValueTree | undefined
  readonly operations: readonly { readonly operation: PatchOperation; readonly value: ValueTree | undefined }[]
  /** In the Cluster. */
  readonly at: Origin
}

export function clusterRevision(cluster: Loaded<ClusterSpec>): ClusterRevision {
  const { spec, source } = cluster
  const patches = (spec.patches ?? []).map(({ target, merge, json6902 = [] }, index): Patch => {
    const at: Origin = { source, path: ['patches', index] }
    return {
      ...{ target, at },
      merge: merge && treeOf(merge, { source, path: [...at.path, 'merge'] }),
      operations: json6902.map((operation, number) => ({
        operation,
        value: operation.value === undefined ? undefined : treeOf(operation.value, valueOrigin(at, number)),
      })),
    }
  })
  return { patches, variables: variablesOf(cluster) }
}

function valueOrigin({ source, path }: Origin, operation: number): Origin {
  return { source, path: [...path, 'json6902', operation, 'value'] }
}

export function variablesOf({ name, spec, source }: Loaded<ClusterSpec>): Variables {
  const own = Object.entries(spec.variables ?? {})
  return new Map<string, Variable>([
    ['name', { value: name, origin: { source, path: [] } }] as const,
    ...own.map(([variable, value]) => [variable, { value, origin: { source, path: ['variables', variable] } }] as const),
  ])
}

/** Whether a patch is for the document. */
export function isPatched(
  { kind, name }: { readonly kind: string; readonly name: string },
  { patches }: ClusterRevision,
): boolean {
  return patches.some(({ target }) => target.kind === kind && (target.name ?? name) === name)
}

/** How much patches write into the document. */
export function patchedSize(
  { kind, name }: { readonly kind: string; readonly name: string },
  { patches }: ClusterRevision,
): number {
  const meant = patches.filter(({ target }) => target.kind === kind && (target.name ?? name) === name)
  const written = meant.flatMap(({ merge, operations }) => [merge, ...operations.map(({ value }) => value)])
  return written.reduce((sum, tree) => sum + (tree ? sizeOf(tree) : 0), 0)
}

/** A target that no document is would change nothing, which is never meant. */
export function unmetPatches(
  revision: ClusterRevision,
  documents: readonly { readonly kind: string; readonly name: string }[],
): readonly Patch[] {
  return revision.patches.filter(
    ({ target }) => !documents.some(({ kind, name }) => kind === target.kind && (target.name ?? name) === name),
  )
}
