import type { Draft, Loaded } from '../draft.ts'
import type { Location } from '../model.ts'
import type { NodePoolSpec } from '../schema/node-pool.ts'

/** A version with which a document is used, and the places where pools name it. */
export interface Use {
  /** undefined: the pool leaves the version to others, or no pool uses the document. */
  readonly version: string | undefined
  readonly usedBy: readonly Location[]
}

/** @param field the list of names in a pool's kubelet section. @returns by document name; one use a version, so that each is judged once. */
export function usesOf(documents: Draft['documents'], field: 'flagSets' | 'config'): ReadonlyMap<string, readonly Use[]> {
  const found = new Map<string, Map<string | undefined, Location[]>>()
  for (const pool of documents.NodePool.values()) {
    for (const [index, name] of (pool.spec.kubelet?.[field] ?? []).entries())
      addUse(found, { name, version: pool.spec.kubelet?.version, at: place(pool, [field, index]) })
  }
  return new Map([...found].map(([name, uses]) => [name, [...uses].map(([version, usedBy]) => ({ version, usedBy }))]))
}

/** What is said of a document that no pool uses. */
export const UNUSED: readonly Use[] = [{ version: undefined, usedBy: [] }]

function addUse(
  found: Map<string, Map<string | undefined, Location[]>>,
  { name, version, at }: { readonly name: string; readonly version: string | undefined; readonly at: Location },
): void {
  const uses = found.get(name) ?? new Map<string | undefined, Location[]>()
  found.set(name, uses.set(version, [...(uses.get(version) ?? []), at]))
}

function place(pool: Loaded<NodePoolSpec>, path: readonly (string | number)[]): Location {
  const { file, line, column } = pool.source.where(['kubelet', ...path])
  return { file, line, column }
}
