import type { ApiObject } from '../api-object.ts'
import { keyOf } from '../api-object.ts'
import type { Core } from '../core.ts'

/** Stands in for the kubelets: a pod that is marked for deletion goes when `terminate` is done with it. */
export function finishPods(core: Core, terminate: (pod: ApiObject) => void | Promise<void>): void {
  core.store.collection('pods').listen(({ type, entry, previous }) => {
    const { deletionTimestamp } = entry.object.metadata
    if (type === 'DELETED' || !deletionTimestamp || previous?.object.metadata.deletionTimestamp) return
    void finish(core, entry.object, terminate)
  })
}

async function finish(core: Core, pod: ApiObject, terminate: (pod: ApiObject) => void | Promise<void>): Promise<void> {
  await terminate(pod)
  const key = keyOf(pod.metadata.namespace, pod.metadata.name ?? '')
  // By then another pod may have the name.
  if (core.store.get('pods', key)?.metadata.uid === pod.metadata.uid) core.store.remove('pods', key)
}
