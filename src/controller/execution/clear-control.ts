import type { KubeObject } from '../../kube/kube-api.ts'
import { askedByKey, CLEARED_CONTROLS } from '../../protocol/names.ts'
import type { Action } from '../../rollout/model/decision.ts'
import { nodePoolsPath, projectNodePool } from '../cache/node-pool-view.ts'
import type { PoolObjects } from '../node-pools/mirror-pools.ts'

type ClearControl = Omit<Extract<Action, { kind: 'clearControl' }>, 'kind'> & { readonly pool: string }

/**
 * Whoever asks again while this is under way has changed the object; then the write is refused, and theirs stays.
 * @throws {Error} when the annotation stands there all the same, as a webhook may have it
 */
export async function clearControl({ kube, pools }: PoolObjects, { pool, control, value }: ClearControl): Promise<void> {
  const view = pools.get(pool)
  if (view?.controls[control] !== value) return
  const key = CLEARED_CONTROLS[control]
  const annotations = { [key]: null, [askedByKey(key)]: null }
  const body = { metadata: { resourceVersion: view.resourceVersion, annotations } }
  const written = projectNodePool(await kube.patch<KubeObject>(nodePoolsPath(pool), body))
  pools.wrote(written)
  if (written.controls[control] === value) throw new Error('it accepts the request, and keeps the annotation')
}
