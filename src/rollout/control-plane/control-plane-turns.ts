import type { Decision } from '../model/decision.ts'
import type { FleetFacts } from '../model/fleet-facts.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'
import { type ControlPlaneView, hindranceTo } from './control-plane.ts'
import { skewFacts } from './skew.ts'

/** Tells each pool in turn what the control plane means to it, and hears what came of that. */
export interface ControlPlaneTurns {
  factsFor(pool: PoolSnapshot): Pick<FleetFacts, 'skew' | 'controlPlane'>
  decided(decision: Decision): void
}

/** Of all nodes of the control plane one is taken at a time, whichever pools they are in. */
export function controlPlaneTurns(view: ControlPlaneView | undefined): ControlPlaneTurns {
  if (!view) return { factsFor: () => ({}), decided: () => undefined }
  const skew = skewFacts(view)
  const hosts = new Set([...view.nodes, ...view.instances.map(({ node }) => ({ name: node }))].map(({ name }) => name))
  let selected: string | undefined
  return {
    factsFor({ nodes }) {
      const ours = nodes.filter(({ name }) => hosts.has(name))
      if (ours.length === 0) return { skew }
      return { skew, controlPlane: new Map(ours.map(({ name }) => [name, hindranceTo(name, view, { selected })])) }
    },
    decided({ actions }) {
      for (const action of actions) if ('node' in action && hosts.has(action.node)) selected = action.node
    },
  }
}
