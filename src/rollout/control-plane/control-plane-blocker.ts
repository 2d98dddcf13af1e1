import { asksForMore, isAtWork, isInFlight, reportOf, waitsForGrant } from '../model/agent-report.ts'
import { isUnderDrain } from '../model/cordon.ts'
import type { ControlPlaneBlocker } from '../model/fleet-facts.ts'
import type { NodeView } from '../model/node-view.ts'
import { isBeingProved } from '../model/proof.ts'
import type { ControlPlaneView } from './control-plane-view.ts'
import { sickPart } from './instances.ts'
import { isPeerUnavailable, isUnwell, whyUnavailable } from './peer-availability.ts'

/** Undefined when the node may be disturbed. Only the others matter: one that is broken itself must stay within reach. */
export function controlPlaneBlocker(node: string, view: ControlPlaneView): ControlPlaneBlocker | undefined {
  const own = view.nodes.find(({ name }) => name === node)
  const others = own ? view.nodes.filter((other) => other !== own) : view.nodes
  const working = others.find((other) => isAtIt(other, own))
  if (working) return turnOf(working)
  if (view.outdated !== undefined) return { kind: 'sick', message: view.outdated }
  // Who is drained waits for these as well.
  const found = unavailablePeer(node, view) ?? becauseOf(sickPart(node, view))
  if (found) return { kind: 'sick', ...found, ...(isDown(node, view) && { sparesBroken: true }) }
  const drained = others.find((other) => isDrainedBefore(other, own))
  return drained && turnOf(drained)
}

function turnOf(node: NodeView): ControlPlaneBlocker {
  const { name, hold } = node
  if (!asksToUndo(node)) return { kind: 'turn', node: name, message: hasTheTurn(name) }
  const remedy = hold === undefined ? '' : `; it is held, include it with: nodewave release ${name}`
  return { kind: 'turn', node: name, message: `control-plane node "${name}" needs more disruption to undo its change${remedy}` }
}

/** Of all nodes of the control plane one is changed at a time, whichever pools they are in. */
export function hasTheTurn(node: string): string {
  return `control-plane node "${node}" is being changed`
}

/** The others cannot be counting on it. */
function isDown(node: string, { nodes, instances }: ControlPlaneView): boolean {
  const isNotReady = nodes.some(({ name, ready }) => name === node && !ready)
  return isNotReady && instances.every((instance) => instance.node !== node || !instance.ready)
}

/** Who is at work has the turn: not whose agent waits for a greater grant, which may come much later. A pod proves only a node that is Ready. */
function isAtIt(other: NodeView, own: NodeView | undefined): boolean {
  const report = reportOf(other)
  if (isAtWork(other, report) || (other.ready && isBeingProved(other, report))) return true
  return asksToUndo(other) && !(own && asksToUndo(own) && own.name < other.name)
}

/** Its change went bad, or took it down, and only a greater grant ends that. Of two of these, one goes first. */
function asksToUndo(node: NodeView): boolean {
  const report = reportOf(node)
  return isInFlight(node, report) && asksForMore(node, report) && !waitsForGrant(node, report)
}

/**
 * So has who is drained, but before nodes alone that are well: a drain waits for the others, and what repairs them must not wait for the drain.
 * Of two that are cordoned, by whatever mischance, one goes first: else each would wait for the other.
 */
function isDrainedBefore(other: NodeView, own: NodeView | undefined): boolean {
  if (!isUnderDrain(other) || (own && isUnwell(own))) return false
  return !(own && isUnderDrain(own) && own.name < other.name)
}

function unavailablePeer(node: string, { nodes }: ControlPlaneView): Pick<ControlPlaneBlocker, 'node' | 'message'> | undefined {
  const away = nodes.find((other) => other.name !== node && isPeerUnavailable(other))
  return away && { node: away.name, message: `control-plane node "${away.name}" ${whyUnavailable(away)}` }
}

function becauseOf(message: string | undefined): Pick<ControlPlaneBlocker, 'message'> | undefined {
  return message === undefined ? undefined : { message }
}
