import {
  COMPONENTS,
  CONTROL_PLANE_ROLE,
  type Component,
  type ControlPlaneView,
  ETCD_ROLE,
  isControlPlaneNode,
} from './control-plane-view.ts'

/** Why the API servers and etcd members of other nodes do not allow that this one is disturbed. */
export function sickPart(node: string, view: ControlPlaneView): string | undefined {
  return lostNode(view) ?? sickInstance(node, view) ?? missingInstance(node, view) ?? lostQuorum(node, view)
}

function lostNode({ nodes, instances }: ControlPlaneView): string | undefined {
  const known = new Set(nodes.map(({ name }) => name))
  const lost = instances.find((instance) => !known.has(instance.node))
  return lost && `the node "${lost.node}" of "${lost.name}" is not there`
}

function sickInstance(node: string, { instances }: ControlPlaneView): string | undefined {
  const sick = instances.find((instance) => instance.node !== node && !instance.ready)
  return sick && `${sick.component} "${sick.name}" is not ready`
}

function missingInstance(node: string, view: ControlPlaneView): string | undefined {
  for (const component of COMPONENTS) {
    const missing = missingHosts(component, view).find((host) => host !== node)
    if (missing !== undefined) return `no ${component} is seen on control-plane node "${missing}"`
  }
  return undefined
}

/**
 * All other members are well by now. Where there is one alone there is no other way; where two are both needed, a third can be had. Those
 * on nodes without the role must not make up a majority: any kubelet can pretend to run one.
 */
function lostQuorum(node: string, view: ControlPlaneView): string | undefined {
  const all = hostsOf('etcd', view)
  const trusted = view.nodes.filter((host) => isControlPlaneNode(host) && all.has(host.name))
  const needed = [all.size, trusted.length].find((members) => members > 1 && members === quorumOf(members))
  return needed === undefined || !all.has(node)
    ? undefined
    : `etcd has ${needed} members and needs ${needed}: add a third one first`
}

function quorumOf(members: number): number {
  return Math.floor(members / 2) + 1
}

/** Nodes where a component should run and is not seen: somebody took its manifest away, or its kubelet never came up. */
export function missingHosts(component: Component, view: ControlPlaneView): string[] {
  const seen = seenOn(component, view)
  return [...hostsOf(component, view)].filter((host) => !seen.has(host)).sort()
}

/**
 * All nodes of a role, once the component is seen on one of them: where it runs otherwise, no pod need be expected. Nor on a machine whose
 * kubelet never ran: it would wait for the pod that only its kubelet can start.
 */
export function hostsOf(component: Component, view: ControlPlaneView): ReadonlySet<string> {
  const seen = seenOn(component, view)
  const role = component === 'etcd' && view.nodes.some(({ labels }) => ETCD_ROLE in labels) ? ETCD_ROLE : CONTROL_PLANE_ROLE
  const hosts = view.nodes.filter(({ labels, kubeletVersion }) => role in labels && kubeletVersion !== '')
  const expected = hosts.map(({ name }) => name)
  return expected.some((name) => seen.has(name)) ? new Set([...seen, ...expected]) : seen
}

function seenOn(component: Component, { instances }: ControlPlaneView): Set<string> {
  return new Set(instances.filter((instance) => instance.component === component).map(({ node }) => node))
}
