import type { KubeObject } from '../../kube/kube-api.ts'
import { askedByKey, POOL_CONTROLS } from '../../protocol/names.ts'
import type { Action } from '../../rollout/model/decision.ts'
import { nodePoolsPath, projectNodePool } from '../cache/node-pool-view.ts'
import type { PoolObjects } from '../node-pools/mirror-pools.ts'

type ClearControl = Omit<Extract<Action, { kind: 'clearControl' }>, 'kind'> & { readonly pool: string }

/** Whoever asks again while this is under way has changed the object; then the write is refused, and theirs stays. */
export async function clearControl({ kube, pools }: PoolObjects, { pool, control, value }: ClearControl): Promise<void> {
  const view = pools.get(pool)
  if (view?.controls[control] !== value) return
  const key = POOL_CONTROLS[control === 'promoted' ? 'promote' : control]
  const annotations = { [key]: null, [askedByKey(key)]: null }
  const body = { metadata: { resourceVersion: view.resourceVersion, annotations } }
  pools.wrote(projectNodePool(await kube.patch<KubeObject>(nodePoolsPath(pool), body)))
}
