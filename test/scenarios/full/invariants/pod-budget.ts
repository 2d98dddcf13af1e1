import type { KubeObject } from '../../../../src/kube/kube-api.ts'
import type { PodInvariant } from '../invariants.ts'
import { minAvailable } from '../shop.ts'

export const podBudget: PodInvariant = {
  claim: 'as many pods stay Ready as their PodDisruptionBudget asks for',
  // One that has not begun to serve takes nothing away.
  holds(pod, world) {
    const pods = world.store.list('pods') as unknown as KubeObject[]
    return !isHealthy(pod) || pods.filter(isHealthy).length >= minAvailable(world)
  },
}

function isHealthy({ metadata, status }: KubeObject): boolean {
  const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly { type: string; status: string }[] }
  return metadata.deletionTimestamp === undefined && conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True')
}
