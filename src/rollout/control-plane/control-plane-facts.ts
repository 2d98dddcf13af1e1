import { reportOf } from '../model/agent-report.ts'
import type { FleetFacts } from '../model/fleet-facts.ts'
import type { NodeView } from '../model/node-view.ts'
import { isBeingProved } from '../model/proof.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'
import { controlPlaneBlocker } from './control-plane-blocker.ts'
import type { ControlPlaneView } from './control-plane-view.ts'
import { skewFacts } from './skew.ts'

/** What the control plane means to a pool. */
export type ControlPlaneFacts = (pool: Pick<PoolSnapshot, 'nodes'>) => Pick<FleetFacts, 'skew' | 'controlPlane'>

/** Objects of one shape are read faster. */
const NOTHING_KNOWN = { skew: undefined, controlPlane: undefined } as const

export function controlPlaneFacts(found: ControlPlaneView | undefined, strays: readonly NodeView[]): ControlPlaneFacts {
  if (!found) return () => NOTHING_KNOWN
  const view = strays.length === 0 ? found : withoutProofs(found, strays)
  const skew = skewFacts(view)
  const hosts = new Set([...view.nodes, ...view.instances.map(({ node }) => ({ name: node }))].map(({ name }) => name))
  return ({ nodes }) => {
    const ours = hosts.size === 0 ? [] : nodes.filter(({ name }) => hosts.has(name))
    if (ours.length === 0) return { skew, controlPlane: undefined }
    return { skew, controlPlane: new Map(ours.map(({ name }) => [name, controlPlaneBlocker(name, view)])) }
  }
}

/** Nobody ends the proof of a node that belongs to no pool, so nobody waits for it. */
function withoutProofs(view: ControlPlaneView, strays: readonly NodeView[]): ControlPlaneView {
  const names = new Set(strays.map(({ name }) => name))
  const isUnended = (node: NodeView): boolean => names.has(node.name) && isBeingProved(node, reportOf(node))
  return { ...view, nodes: view.nodes.map((node) => (isUnended(node) ? { ...node, proof: undefined } : node)) }
}
