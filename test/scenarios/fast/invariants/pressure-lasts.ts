import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import { contentOf, digestFor, fingerprintOf } from '../content.ts'
import type { Invariant } from '../invariants.ts'
import { stampOf } from '../stamp.ts'
import { type Decided, decidedPools } from './steps.ts'

export const pressureLasts: Invariant = {
  claim: 'a node that comes under pressure in its soak, by its own clock, fails, and stays failed for as long as that lasts',
  ofDecision: (observed) => decidedPools(observed).every((decided) => fails(decided) && staysFailed(decided)),
}

/** While the first wave alone is open, its soak is that of every node that has the target. */
function fails({ pool: { nodes, policy }, decision: { status } }: Decided): boolean {
  const [run] = status.history
  const [first] = policy.waves
  if (run?.result !== 'Running' || status.wave?.index !== 1 || status.wave.name !== first?.name) return true
  return nodes.every((node) => {
    const { name, ready, labels, proof, assigned, status: report, pressures = [] } = node
    if (!ready || !assigned || fingerprintOf(assigned.digest) !== run.fingerprint || !hasEnded(node)) return true
    if (digestFor(contentOf(assigned.digest), labels) !== assigned.digest || (proof && proof.state !== 'Passed')) return true
    const done = Date.parse(report?.since ?? '')
    const isPressed = pressures.some(({ since }) => since >= done && since < done + first.soak)
    return (assigned.at ?? 0) < Date.parse(run.startedAt) || !isPressed || status.failed.some((each) => each.node === name)
  })
}

function staysFailed({ pool: { memory, nodes }, decision: { status } }: Decided): boolean {
  const [before, after] = [memory.history[0], status.history[0]]
  if (before?.startedAt !== after?.startedAt || after?.result !== 'Running') return true
  if (memory.target?.revision !== status.target?.revision) return true
  return memory.failed.every(({ node: name, reason }) => {
    const node = nodes.find((each) => each.name === name)
    return !node || !isPressedStill(node, reason) || status.failed.some((each) => each.node === name)
  })
}

/** Since its present assignment, and nothing else has come of it. Whether it is Ready does not matter. */
function isPressedStill(node: NodeView, reason: string): boolean {
  const { assigned, status, pressures = [] } = node
  if (!hasEnded(node)) return false
  const from = Math.min(assigned?.at ?? 0, Date.parse(status?.since ?? ''))
  return pressures.some(({ type, since }) => type === reason && since >= from)
}

/** It has ended its present assignment, and nothing keeps it from counting. */
function hasEnded({ hold, leaving, mark, assigned, status }: NodeView): boolean {
  if (hold !== undefined || leaving || mark || !assigned || status?.phase !== 'Applied') return false
  return status.assignedAt === stampOf(assigned) && assigned.digest === status.assigned
}
