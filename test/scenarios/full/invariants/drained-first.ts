import type { KubeObject } from '../../../../src/kube/kube-api.ts'
import { isReady } from '../assignment.ts'
import type { Invariant } from '../invariants.ts'

/** A node that is down cannot end its pods; and what disturbs nothing needs no drain. */
export const drainedFirst: Invariant = {
  claim: 'a node of a pool that always drains is disturbed only when it is cordoned and has no pod left to evict',
  holds({ node, desired, before }, world) {
    const pool = world.pools.find(({ name }) => name === desired.POOL)
    if (!pool?.drains || desired.GRANT === 'none' || !isReady(before)) return true
    const { unschedulable } = (before.spec ?? {}) as { readonly unschedulable?: boolean }
    const pods = world.store.list('pods') as unknown as KubeObject[]
    return unschedulable === true && !pods.some(({ spec }) => (spec as { readonly nodeName?: string }).nodeName === node)
  },
}
