import type { HistoryEntry } from '../../../../src/protocol/node-pool.ts'
import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import type { WavePolicy } from '../../../../src/rollout/model/policy.ts'
import { contentOf, digestFor, problemFor, versionFor } from '../content.ts'
import type { Invariant } from '../invariants.ts'
import { labelsFor } from '../when-assigned.ts'
import { type Decided, decidedPools, hasEnded } from './steps.ts'

export const answersOfThisRun: Invariant = {
  claim:
    'a wave that names nodes passes by one on which the target works, or that this rollout has tried it on: what failed before a retry opens nothing',
  ofDecision: (observed) => decidedPools(observed).every(isHeardFrom),
}

function isHeardFrom(decided: Decided): boolean {
  return isReturn(decided) || passedWaves(decided).every((wave) => isAnswered(wave, decided))
}

/** Nodes that the target does not change prove nothing; where it changes none of the wave, there is nothing to prove. */
function isAnswered(wave: WavePolicy, decided: Decided): boolean {
  const [run] = decided.decision.status.history
  if (!run) return true
  const content = run.fingerprint.slice('of '.length)
  const changed = decided.pool.nodes.filter((node) => isChanged(node, decided))
  const hasAnswered = (node: NodeView): boolean => works(node, content) || isTried(node, { content, run })
  return !changed.some((node) => isSelected(node, wave)) || changed.some((node) => wasSelected(node, wave) && hasAnswered(node))
}

/** One decision may pass several. */
function passedWaves({ pool: { memory, policy }, decision: { status } }: Decided): readonly WavePolicy[] {
  const goesOn = memory.history[0]?.startedAt === status.history[0]?.startedAt
  const before = goesOn ? (memory.wave?.index ?? 0) : 0
  const after = status.wave?.index ?? 0
  return policy.waves.slice(Math.max(0, before - 1), Math.max(0, after - 1))
}

function isReturn({ pool, decision: { status } }: Decided): boolean {
  return pool.memory.stable?.fingerprint === status.target?.fingerprint
}

/** Those that people keep, that leave or cannot be rendered are waited for or passed over by other rules. */
function isChanged({ hold, leaving, assigned, labels }: NodeView, { pool }: Decided): boolean {
  if (hold !== undefined || leaving || problemFor(labels)) return false
  return assigned !== undefined || pool.memory.stable === undefined
}

function isSelected({ labels }: Pick<NodeView, 'labels'>, { nodes }: WavePolicy): boolean {
  return 'matchLabels' in nodes && Object.entries(nodes.matchLabels).every(([name, value]) => labels[name] === value)
}

/** One that has the content keeps its place in its wave when its labels change. */
function wasSelected(node: NodeView, wave: WavePolicy): boolean {
  return [node.labels, ...labelsFor(node.assigned)].some((labels) => isSelected({ labels }, wave))
}

function works(node: NodeView, content: string): boolean {
  const { assigned, status, labels, kubeletVersion } = node
  const isApplied = hasEnded(node) && status?.phase === 'Applied' && assigned?.digest === digestFor(content, labels)
  return isApplied && node.ready && kubeletVersion === (versionFor(content) ?? kubeletVersion)
}

function isTried({ assigned }: NodeView, { content, run }: { readonly content: string; readonly run: HistoryEntry }): boolean {
  return assigned !== undefined && contentOf(assigned.digest) === content && (assigned.at ?? 0) >= Date.parse(run.startedAt)
}
