import { type Draft, errorAt, type Loaded } from '../draft.ts'
import type { Problem } from '../problem.ts'
import type { NodePoolSpec } from '../schema/node-pool.ts'

/** Without these a kubelet falls back to defaults that let anybody in, or leave pods without DNS. */
const NEEDED = ['authentication', 'authorization', 'clusterDNS'] as const

/** In `full` mode nothing of the host's own file is left, so the documents must say what a node cannot do without. */
export function checkFullConfig({ documents }: Draft): Problem[] {
  return [...documents.NodePool.values()].flatMap((pool) => {
    if (pool.spec.kubelet?.configMode !== 'full') return []
    const missing = NEEDED.filter((field) => !isStated(field, pool, documents))
    if (missing.length === 0) return []
    const message = `configMode "full" needs ${NEEDED.join(', ')}; missing: ${missing.join(', ')}`
    const remedy = 'set them in a KubeletConfig of this pool, or use configMode: overlay'
    return [errorAt(pool, ['kubelet', 'configMode'], { reason: 'IncompleteConfig', message, remedy })]
  })
}

/** The last document that speaks of the field decides, and null takes it out. */
function isStated(field: string, pool: Loaded<NodePoolSpec>, documents: Draft['documents']): boolean {
  const stated = (pool.spec.kubelet?.config ?? [])
    .map((name) => documents.KubeletConfig.get(name)?.spec.config)
    .filter((config) => config !== undefined && Object.hasOwn(config, field))
  return (stated.at(-1)?.[field] ?? null) !== null
}
