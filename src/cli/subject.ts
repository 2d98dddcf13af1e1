import type { KubeApi, KubeObject } from '../kube/kube-api.ts'
import { KubeError } from '../kube/kube-api.ts'
import { didYouMean } from '../repo/suggest.ts'
import { readPools } from './controls/view.ts'
import type { PoolStatusView } from './status/pool-view.ts'
import { unknownName } from './unknown-name.ts'

/** What a person names: a pool, or a node. */
export type StatusSubject =
  | { readonly kind: 'pool'; readonly pool: PoolStatusView }
  | { readonly kind: 'node'; readonly node: KubeObject; readonly pools: readonly PoolStatusView[] }

/**
 * `workers`, `pool/workers`, `n1` or `node/n1`; a pool comes first where both have the name.
 * @throws {Error} listing what there is
 */
export async function subjectNamed(kube: KubeApi, text: string): Promise<StatusSubject> {
  const [, kind, name = text] = /^(pool|node)\/(.+)$/.exec(text) ?? []
  const pools = await readPools(kube)
  const pool = kind === 'node' ? undefined : pools.find((candidate) => candidate.name === name)
  if (pool) return { kind: 'pool', pool }
  const node = kind === 'pool' ? undefined : await nodeNamed(kube, name)
  if (node) return { kind: 'node', node, pools }
  const poolNames = pools.map((candidate) => candidate.name)
  if (kind === 'pool') throw new Error(unknownName('pool', name, poolNames))
  const nodes = await nodeNames(kube)
  if (kind === 'node') throw new Error(unknownName('node', name, nodes))
  const near = didYouMean(name, [...poolNames, ...nodes]) ?? `pools: ${poolNames.join(', ') || '(none)'}`
  throw new Error(`no pool or node is named "${name}"; ${near}`)
}

async function nodeNamed(kube: KubeApi, name: string): Promise<KubeObject | undefined> {
  try {
    return await kube.get<KubeObject>(`/api/v1/nodes/${encodeURIComponent(name)}`)
  } catch (error) {
    if (error instanceof KubeError && error.code === 404) return undefined
    throw error
  }
}

async function nodeNames(kube: KubeApi): Promise<string[]> {
  return (await kube.list('/api/v1/nodes', { project: ({ metadata }) => metadata.name })).items
}
