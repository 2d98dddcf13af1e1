import type { NodePoolStatus } from '../../../../src/protocol/node-pool.ts'
import type { NodeProof } from '../../../../src/protocol/node-proof.ts'
import { isAtWork, reportOf } from '../../../../src/rollout/model/agent-report.ts'
import type { Action } from '../../../../src/rollout/model/decision.ts'
import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import { NodeDraft } from '../../builders/nodes.ts'
import { mayBeAssigned } from './keeps-exposure.ts'
import type { SimNode, World } from './world.ts'

export function execute(
  world: World,
  name: string,
  action: Action,
  { status, seen, nodesBefore }: { status?: NodePoolStatus; seen: readonly SimNode[]; nodesBefore: readonly SimNode[] },
): void {
  if (action.kind === 'clearControl') {
    const { [action.control]: value, ...rest } = world.controls.get(name) ?? {}
    if (value === action.value) world.controls.set(name, rest)
    return
  }
  if (action.kind === 'askGate') {
    const { gate, wave, question, revision, rollout, check } = action
    const about = { gate: gate.name, wave, question, revision, rollout, check }
    const answer = { ...about, at: world.now, message: 'told' } as const
    world.answers.set(name, [{ ...answer, verdict: world.areGatesGood || question === 'before' ? 'Passed' : 'NotPassed' }])
    return
  }
  if (action.kind === 'startProof') {
    const { node, digest, assignedAt, at } = action.pod
    if (!world.proofs.has(node))
      world.proofs.set(node, {
        node,
        name: `proof-${node}`,
        uid: `proof-${node}-${world.uids++}`,
        digest,
        assignedAt,
        startedAt: at,
        state: 'Pending',
      })
    return
  }
  if (action.kind === 'removeProof') {
    for (const [node, { uid }] of world.proofs) if (uid === action.pod.uid) world.proofs.delete(node)
    return
  }
  if (!('node' in action)) return
  const isCurrent =
    seen === world.nodes ||
    seen === nodesBefore ||
    seen.find(({ view }) => view.name === action.node)?.view === nodesBefore.find(({ view }) => view.name === action.node)?.view
  if (!isCurrent) return
  if (action.kind === 'assign' && status) mayBeAssigned(world, name, action, status)
  world.nodes = world.nodes.map((node) => (node.view.name === action.node ? written(node, name, action) : node))
  // It sees what it has written itself.
  const mine = world.nodes.find(({ view }) => view.name === action.node)
  world.before = world.before.map((node) => (mine && node.view.name === action.node ? mine : node))
}

function written(node: SimNode, pool: string, action: Action): SimNode {
  const { view } = node
  if (action.kind === 'cordon') return { ...node, view: new NodeDraft({ ...view, unschedulable: true, mark: action.mark }) }
  if (action.kind === 'uncordon') {
    const { mark: _, ...rest } = view
    return {
      ...node,
      hasPods: true,
      view: new NodeDraft({
        ...rest,
        ...(action.lifts && { unschedulable: false }),
        ...(action.mark && { mark: action.mark }),
      } as NodeView),
    }
  }
  if (action.kind === 'evict') return { ...node, hasPods: node.keepsPods }
  if (action.kind === 'recordProof') return { ...node, view: new NodeDraft({ ...view, proof: action.proof }) }
  if (action.kind === 'clearReboot') {
    const { rebootRequest: _, rebootBy: __, ...rest } = view
    return { ...node, view: new NodeDraft(rest as NodeView) }
  }
  if (action.kind !== 'assign') return node
  const { digest, revision, grant, at, nodeWas, reboot } = action
  const { proof: _, ...rest } = view
  const proof: NodeProof | undefined = action.proof && { digest, assignedAt: at, state: 'Wanted', ...action.proof }
  const report = reportOf(view)
  const isSound =
    view.ready &&
    !isAtWork(view, report) &&
    nodeWas === undefined &&
    !(view.proof?.state === 'Failed' && report?.phase === 'Applied')
  // Disturbed: this rollout took it when it was sound, and assigns it once more.
  const wasSound = isSound || (node.wasSound && nodeWas === 'Disturbed')
  return {
    ...node,
    wasSound,
    view: new NodeDraft({
      ...rest,
      assigned: { digest, revision, pool, grant, at, ...(nodeWas && { nodeWas }), ...(reboot && { reboot }) },
      ...(proof && { proof }),
    } as NodeView),
  }
}
