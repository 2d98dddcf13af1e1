import { nodePoolsPath } from '../../controller/cache/node-pool-view.ts'
import { configMapsPath } from '../../controller/cache/stored-config-map.ts'
import { type KubeApi, KubeError, type KubeObject } from '../../kube/kube-api.ts'
import { FLEET_CONFIG_MAP } from '../../protocol/names.ts'
import type { RequestedBy } from '../../protocol/requested-by.ts'
import { byName, type PoolStatusView, projectPool } from '../status/pool-view.ts'
import { unknownName } from '../unknown-name.ts'

/** What a verb is judged by before anything is written. */
export interface ControlView {
  readonly kube: KubeApi
  readonly pools: readonly PoolStatusView[]
  readonly namespace: string
  readonly by: RequestedBy
}

/** @throws {Error} saying what to install, when the cluster does not know the kind */
export async function readPools(kube: KubeApi): Promise<PoolStatusView[]> {
  try {
    const { items } = await kube.list(nodePoolsPath(), { project: projectPool })
    return items.sort(byName)
  } catch (cause) {
    if (!(cause instanceof KubeError) || cause.code !== 404) throw cause
    throw new Error(`${cause.message}; is nodewave installed in this cluster? Install it: docs/install.md`, { cause })
  }
}

/** @throws {Error} naming the pool that may have been meant. */
export function poolNamed(pools: readonly PoolStatusView[], name: string): PoolStatusView {
  const found = pools.find((pool) => pool.name === name)
  if (found) return found
  if (pools.length === 0)
    throw new Error(
      `unknown pool "${name}"; there are no pools: check with nodewave status whether a controller has accepted a commit`,
    )
  throw new Error(
    unknownName(
      'pool',
      name,
      pools.map((pool) => pool.name),
    ),
  )
}

/** Annotations of the fleet's ConfigMap; undefined when there is none. */
export async function fleetAnnotations({
  kube,
  namespace,
}: Pick<ControlView, 'kube' | 'namespace'>): Promise<Readonly<Record<string, string>> | undefined> {
  try {
    const { metadata } = await kube.get<KubeObject>(configMapsPath(namespace, FLEET_CONFIG_MAP))
    return metadata.annotations ?? {}
  } catch (error) {
    if (error instanceof KubeError && error.code === 404) return undefined
    throw error
  }
}
