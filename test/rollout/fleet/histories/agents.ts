import { reportOf } from '../../../../src/rollout/model/agent-report.ts'
import type { ProofPod } from '../../../../src/rollout/model/node-view.ts'
import { NodeDraft } from '../../builders/nodes.ts'
import { CONTENTS, type Content } from './contents.ts'
import { ready } from './node-edits.ts'
import type { SimNode, World } from './world.ts'

export function worked(world: World, node: SimNode): SimNode {
  const { view, isDown, isSilent } = node
  const { assigned } = view
  if (!assigned || isDown || isSilent) return node
  const report = reportOf(view)
  if (report?.phase === 'Applied' && view.ready && report.lastKnownGood !== assigned.digest)
    return { ...node, view: new NodeDraft({ ...view, status: { ...report, lastKnownGood: assigned.digest } }) }
  if (report !== undefined) return node
  const lastKnownGood = view.status?.lastKnownGood ?? 'first'
  const content = CONTENTS[assigned.digest as Content]
  const since = world.now
  if (content.effect === 'ruins')
    return { ...node, isRuined: true, view: ready(view.reporting('Applied', { since, lastKnownGood }), false, world.now) }
  const fails = content.effect === 'fails' || (content.effect === 'fails on one' && view.name.endsWith('1'))
  const healed = ready(view, true, world.now)
  if (fails)
    return { ...node, view: view.reporting('RolledBack', { since, lastKnownGood, error: { reason: 'X', message: 'x' } }) }
  return { ...node, isRuined: false, view: healed.reporting('Applied', { since, lastKnownGood }) }
}

export function ran(world: World, pod: ProofPod): ProofPod {
  const node = world.nodes.find(({ view }) => view.name === pod.node)
  if (!node?.view.ready || pod.state !== 'Pending') return pod
  return CONTENTS[pod.digest as Content].effect === 'unproved' ? pod : { ...pod, state: 'Running' }
}
