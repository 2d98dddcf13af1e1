import { type Draft, errorAt, type Loaded } from '../draft.ts'
import type { Problem } from '../problem.ts'
import type { NodePoolSpec } from '../schema/node-pool.ts'

/** Without these a kubelet falls back to defaults that let anybody in, or leave pods without DNS. */
const NEEDED = ['authentication', 'authorization', 'clusterDNS'] as const

/** In `full` mode, and where nodewave installs the kubelet, there is no file of the host's own: the documents must say what a node cannot do without. */
export function checkFullConfig({ documents }: Draft): Problem[] {
  return [...documents.NodePool.values()].flatMap((pool) => {
    const { configMode, layout } = pool.spec.kubelet ?? {}
    if (configMode !== 'full' && layout !== 'managed') return []
    const [field, value] = layout === 'managed' ? ['layout', layout] : ['configMode', 'full']
    const missing = NEEDED.filter((field) => !isStated(field, pool, documents))
    if (missing.length === 0) return []
    const message = `${field} "${value}" needs ${NEEDED.join(', ')}; missing: ${missing.join(', ')}`
    const other = field === 'layout' ? '' : ', or use configMode: overlay'
    const remedy = `set them in a KubeletConfig of this pool${other}`
    return [errorAt(pool, ['kubelet', field ?? 'configMode'], { reason: 'IncompleteConfig', message, remedy })]
  })
}

/** The last document that speaks of the field decides, and null takes it out. */
function isStated(field: string, pool: Loaded<NodePoolSpec>, documents: Draft['documents']): boolean {
  const stated = (pool.spec.kubelet?.config ?? [])
    .map((name) => documents.KubeletConfig.get(name)?.spec.config)
    .filter((config) => config !== undefined && Object.hasOwn(config, field))
  return (stated.at(-1)?.[field] ?? null) !== null
}
