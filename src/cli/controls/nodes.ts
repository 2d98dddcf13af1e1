import type { KubeApi } from '../../kube/kube-api.ts'
import { namesFor } from '../../protocol/names.ts'
import { unknownName } from '../unknown-name.ts'

/** What holding and releasing looks at. */
export interface HoldableNode {
  readonly name: string
  readonly pool?: string
  readonly hold?: string
}

/** @throws {Error} naming every one that there is not, and what may have been meant; nothing is written then. */
export async function nodesNamed(
  kube: KubeApi,
  { names, prefix }: { readonly names: readonly string[]; readonly prefix: string },
): Promise<HoldableNode[]> {
  const keys = namesFor(prefix)
  const { items } = await kube.list('/api/v1/nodes', {
    project: ({ metadata: { name, labels, annotations } }): HoldableNode => {
      const [pool, hold] = [labels?.[keys.pool], annotations?.[keys.hold]]
      return { name, ...(pool !== undefined && { pool }), ...(hold !== undefined && { hold }) }
    },
  })
  const known = new Map(items.map((node) => [node.name, node]))
  const missing = names.filter((name) => !known.has(name))
  if (missing.length > 0) throw new Error(missing.map((name) => unknownName('node', name, known.keys())).join('\n'))
  return [...new Set(names)].flatMap((name) => known.get(name) ?? [])
}
