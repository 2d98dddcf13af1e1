import { nodePoolsPath } from '../../controller/node-pool-view.ts'
import { configMapsPath } from '../../controller/stored-config-map.ts'
import { type KubeApi, KubeError, type KubeObject } from '../../kube/kube-api.ts'
import type { AskedBy } from '../../protocol/asked-by.ts'
import { FLEET_CONFIG_MAP } from '../../protocol/names.ts'
import { didYouMean } from '../../repo/suggest.ts'
import { byName, type PoolSight, projectPool } from '../status/pool-sight.ts'

/** What a verb is judged by before anything is written. */
export interface Sight {
  readonly kube: KubeApi
  readonly pools: readonly PoolSight[]
  readonly namespace: string
  readonly by: AskedBy
}

export async function readPools(kube: KubeApi): Promise<PoolSight[]> {
  const { items } = await kube.list(nodePoolsPath(), { project: projectPool })
  return items.sort(byName)
}

/** @throws {Error} naming the pool that may have been meant. */
export function poolNamed(pools: readonly PoolSight[], name: string): PoolSight {
  const found = pools.find((pool) => pool.name === name)
  if (found) return found
  const names = pools.map((pool) => pool.name)
  const hint = didYouMean(name, names) ?? `there are: ${names.join(', ') || 'none; has a controller accepted a commit?'}`
  throw new Error(`there is no pool "${name}"; ${hint}`)
}

/** Annotations of the fleet's ConfigMap; undefined when there is none. */
export async function fleetAnnotations({
  kube,
  namespace,
}: Pick<Sight, 'kube' | 'namespace'>): Promise<Readonly<Record<string, string>> | undefined> {
  try {
    const { metadata } = await kube.get<KubeObject>(configMapsPath(namespace, FLEET_CONFIG_MAP))
    return metadata.annotations ?? {}
  } catch (error) {
    if (error instanceof KubeError && error.code === 404) return undefined
    throw error
  }
}
