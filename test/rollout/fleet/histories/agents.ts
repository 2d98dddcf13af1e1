import { REBOOTING } from '../../../../src/protocol/agent-status.ts'
import { reportOf } from '../../../../src/rollout/model/agent-report.ts'
import type { ProofPod } from '../../../../src/rollout/model/node-view.ts'
import { NodeDraft } from '../../builders/nodes.ts'
import { CONTENTS, renderedFrom } from './contents.ts'
import { booted, ready } from './node-edits.ts'
import type { SimNode, World } from './world.ts'

export function worked(world: World, node: SimNode): SimNode {
  const { view, isDown, isSilent } = node
  const { assigned } = view
  if (!assigned || isDown || isSilent) return node
  const report = reportOf(view)
  if (report?.phase === 'Applied' && view.ready && report.lastKnownGood !== assigned.digest)
    return { ...node, view: new NodeDraft({ ...view, status: { ...report, lastKnownGood: assigned.digest } }) }
  if (assigned.reboot !== undefined && assigned.reboot.boot === view.bootId)
    return report === undefined ? rebooting(world, node) : report.error?.reason === REBOOTING ? booted(world, node) : node
  if (report !== undefined && report.error?.reason !== REBOOTING) return node
  const lastKnownGood = view.status?.lastKnownGood ?? 'first'
  const content = CONTENTS[renderedFrom(assigned.digest) ?? 'first']
  const since = world.now
  if (content.effect === 'ruins')
    return { ...node, isRuined: true, view: ready(view.reporting('Applied', { since, lastKnownGood }), false, world.now) }
  const fails = content.effect === 'fails' || (content.effect === 'fails on one' && view.name.endsWith('1'))
  const healed = ready(view, true, world.now)
  if (fails)
    return { ...node, view: view.reporting('RolledBack', { since, lastKnownGood, error: { reason: 'X', message: 'x' } }) }
  return { ...node, isRuined: false, view: healed.reporting('Applied', { since, lastKnownGood }) }
}

/** Its agent has ordered the reboot, and is gone with its kubelet. */
function rebooting(world: World, node: SimNode): SimNode {
  const error = { reason: REBOOTING, message: 'the machine reboots' }
  return { ...node, view: ready(node.view.reporting('Applying', { since: world.now, error }), false, world.now) }
}

export function ran(world: World, pod: ProofPod): ProofPod {
  const node = world.nodes.find(({ view }) => view.name === pod.node)
  if (!node?.view.ready || pod.state !== 'Pending') return pod
  return CONTENTS[renderedFrom(pod.digest) ?? 'first'].effect === 'unproved' ? pod : { ...pod, state: 'Running' }
}
