import type { KubeObject } from '../../../../src/kube/kube-api.ts'
import type { Invariant } from '../invariants.ts'

/** A node that is down cannot end its pods, and one that runs this content already is not disturbed by it. */
export const drainedFirst: Invariant = {
  claim: 'a node whose pool drains is granted a drain only when it is cordoned and has no pod left to evict',
  holds({ node, desired, before }, world) {
    const pool = world.pools.find(({ name }) => name === desired.POOL)
    if (!pool?.drains || (desired.GRANT !== 'drain' && desired.GRANT !== 'reboot')) return true
    const { unschedulable } = (before.spec ?? {}) as { readonly unschedulable?: boolean }
    const pods = world.store.list('pods') as unknown as KubeObject[]
    return unschedulable === true && !pods.some(({ spec }) => (spec as { readonly nodeName?: string }).nodeName === node)
  },
}
