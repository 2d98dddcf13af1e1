import type { KubeObject } from '../../kube/kube-api.ts'
import { askedByKey, CLEARED_CONTROLS } from '../../protocol/names.ts'
import type { Action } from '../../rollout/model/decision.ts'
import { type PoolObjects, writePool } from '../node-pools/write-pool.ts'

type ClearControl = Omit<Extract<Action, { kind: 'clearControl' }>, 'kind'> & { readonly pool: string }

/**
 * Whoever asks again while this is under way has changed the object; then the write is refused, and theirs stays.
 * @throws {Error} when the annotation stands there all the same, as a webhook may have it
 */
export async function clearControl(objects: PoolObjects, { pool, control, value }: ClearControl): Promise<void> {
  const view = objects.pools.get(pool)
  if (view?.controls[control] !== value) return
  const key = CLEARED_CONTROLS[control]
  const annotations = { [key]: null, [askedByKey(key)]: null }
  const body = { metadata: { resourceVersion: view.resourceVersion, annotations } }
  const written = await writePool(objects, view, (kube, path) => kube.patch<KubeObject>(path, body))
  if (written.controls[control] === value) throw new Error('it accepts the request, and keeps the annotation')
}
