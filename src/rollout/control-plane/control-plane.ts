import { isInFlight, reportOf, waitsForGrant } from '../model/agent-report.ts'
import { isUnavailable } from '../model/availability.ts'
import { isOurCordon, isUnderDrain } from '../model/cordon.ts'
import type { ControlPlaneBlocker } from '../model/fleet-facts.ts'
import type { NodeView } from '../model/node-view.ts'
import { hasFailedProof, isBeingProved } from '../model/proof.ts'

/** The control plane as it can be seen: facts only, nothing concluded. */
export interface ControlPlaneView {
  /** That carry its role, or that a part of it runs on. */
  readonly nodes: readonly NodeView[]
  /** API servers and etcd members that run as pods. None are seen where somebody else runs them. */
  readonly instances: readonly ControlPlaneInstance[]
  /** Versions that API servers answer with when asked. */
  readonly answers: readonly string[]
  /** Why all this may not be as it is now. */
  readonly outdated?: string
}

export const COMPONENTS = ['kube-apiserver', 'etcd'] as const
export type Component = (typeof COMPONENTS)[number]

export interface ControlPlaneInstance {
  readonly component: Component
  /** Of its pod. */
  readonly name: string
  readonly node: string
  /** Its kubelet's word: it asks the API server's /readyz, and etcd's own health. */
  readonly ready: boolean
  /** As its image says; absent when that says nothing. */
  readonly version?: string
}

/** A kubelet cannot give itself these labels. */
const CONTROL_PLANE_ROLE = 'node-role.kubernetes.io/control-plane'
const ETCD_ROLE = 'node-role.kubernetes.io/etcd'

export function isControlPlaneNode({ labels }: Pick<NodeView, 'labels'>): boolean {
  return CONTROL_PLANE_ROLE in labels || ETCD_ROLE in labels
}

/** Undefined when the node may be disturbed. Only the others matter: one that is broken itself must stay within reach. */
export function hindranceTo(node: string, view: ControlPlaneView): ControlPlaneBlocker | undefined {
  const own = view.nodes.find(({ name }) => name === node)
  const others = own ? view.nodes.filter((other) => other !== own) : view.nodes
  const working = others.find(isAtIt)
  if (working) return turnOf(working)
  if (view.outdated !== undefined) return { kind: 'sick', message: view.outdated }
  // Who is drained waits for these as well.
  const found = awayNode(node, view) ?? becauseOf(sickPart(node, view))
  if (found) return { kind: 'sick', ...found, ...(isDown(node, view) && { sparesBroken: true }) }
  const drained = others.find((other) => isDrainedBefore(other, own))
  return drained && turnOf(drained)
}

function turnOf({ name }: NodeView): ControlPlaneBlocker {
  return { kind: 'turn', node: name, message: hasTheTurn(name) }
}

/** Of all nodes of the control plane one is changed at a time, whichever pools they are in. */
export function hasTheTurn(node: string): string {
  return `control-plane node "${node}" is being changed`
}

/** The others cannot be counting on it. */
function isDown(node: string, { nodes, instances }: ControlPlaneView): boolean {
  const isAway = nodes.some(({ name, ready }) => name === node && !ready)
  return isAway && instances.every((instance) => instance.node !== node || !instance.ready)
}

/** Who is at work has the turn: not whose agent waits for a greater grant, which may come much later. A pod proves only a node that is Ready. */
function isAtIt(node: NodeView): boolean {
  const report = reportOf(node)
  return (isInFlight(node, report) && !waitsForGrant(node, report)) || (node.ready && isBeingProved(node, report))
}

/**
 * So has who is drained, but before nodes alone that are well: a drain waits for the others, and what repairs them must not wait for the drain.
 * Of two that are cordoned, by whatever mischance, one goes first: else each would wait for the other.
 */
function isDrainedBefore(other: NodeView, own: NodeView | undefined): boolean {
  if (!isUnderDrain(other) || (own && isUnwell(own))) return false
  return !(own && isUnderDrain(own) && own.name < other.name)
}

function awayNode(node: string, { nodes }: ControlPlaneView): Pick<ControlPlaneBlocker, 'node' | 'message'> | undefined {
  const away = nodes.find((other) => other.name !== node && isAway(other))
  return away && { node: away.name, message: `control-plane node "${away.name}" ${whyAway(away)}` }
}

function becauseOf(message: string | undefined): Pick<ControlPlaneBlocker, 'message'> | undefined {
  return message === undefined ? undefined : { message }
}

function sickPart(node: string, view: ControlPlaneView): string | undefined {
  return lostNode(view) ?? sickInstance(node, view) ?? missingInstance(node, view) ?? lostQuorum(node, view)
}

function lostNode({ nodes, instances }: ControlPlaneView): string | undefined {
  const known = new Set(nodes.map(({ name }) => name))
  const lost = instances.find((instance) => !known.has(instance.node))
  return lost && `the node "${lost.node}" of "${lost.name}" is not there`
}

/** A cordon of ours says that its turn is now, or has just been; its parts of the control plane run on. */
function isAway(node: NodeView): boolean {
  return isUnwell(node) || (node.unschedulable && !isOurCordon(node))
}

/** Whoever cordoned it: a cordon alone is no damage. */
function isUnwell(node: NodeView): boolean {
  return isUnavailable({ ...node, unschedulable: false }, reportOf(node))
}

function whyAway(node: NodeView): string {
  const report = reportOf(node)
  if (!node.ready) return 'is not Ready'
  if (hasFailedProof(node, report)) return 'can run no pod'
  if (report?.phase === 'Failed') return 'could not be restored after a change'
  return node.staleReady ? 'has a kubelet that has not reported since it was restarted' : 'is cordoned'
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
