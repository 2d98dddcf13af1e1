import type { FleetFacts } from '../model/fleet-facts.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'
import { type ControlPlaneView, hindranceTo } from './control-plane.ts'
import { skewFacts } from './skew.ts'

/** What the control plane means to a pool. */
export type ControlPlaneFacts = (pool: Pick<PoolSnapshot, 'nodes'>) => Pick<FleetFacts, 'skew' | 'controlPlane'>

/** Objects of one shape are read faster. */
const NOTHING_KNOWN = { skew: undefined, controlPlane: undefined } as const

export function controlPlaneFacts(view: ControlPlaneView | undefined): ControlPlaneFacts {
  if (!view) return () => NOTHING_KNOWN
  const skew = skewFacts(view)
  const hosts = new Set([...view.nodes, ...view.instances.map(({ node }) => ({ name: node }))].map(({ name }) => name))
  return ({ nodes }) => {
    const ours = hosts.size === 0 ? [] : nodes.filter(({ name }) => hosts.has(name))
    if (ours.length === 0) return { skew, controlPlane: undefined }
    return { skew, controlPlane: new Map(ours.map(({ name }) => [name, hindranceTo(name, view)])) }
  }
}
