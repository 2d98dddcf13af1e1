import type { NodePhase } from '../../../src/protocol/node-pool.ts'
import { reportOf } from '../../../src/rollout/model/agent-report.ts'
import type { Instant } from '../../../src/rollout/model/instant.ts'
import { progressOf } from '../../../src/rollout/model/progress-of.ts'
import type { NodeTarget } from '../../../src/rollout/model/snapshot.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'

export interface ProgressOptions {
  readonly wanted?: Partial<NodeTarget>
  readonly soak?: number
  readonly joins?: boolean
  readonly now?: Instant
  readonly agentTimeout?: number
  readonly steadySince?: Instant
  readonly watchedSince?: Instant
  readonly listedAt?: Instant
  readonly rolloutStart?: Instant
  readonly retriedAt?: Instant
  readonly failedAs?: readonly string[]
}

/** A run that began an hour before noon, an apply timeout of 15 minutes. */
export function progress(node: NodeDraft, { wanted, soak = 0, joins = false, now = noon, ...clock }: ProgressOptions = {}) {
  return progressOf(node, {
    wanted: { kind: 'config', digest: 'new', disruption: 'restart', ...wanted } as NodeTarget,
    report: reportOf(node),
    joins,
    soak,
    now,
    rolloutStart: noon - hour,
    applyTimeout: 15 * minute,
    ...clock,
  })
}

export function phase(node: NodeDraft, options?: ProgressOptions): NodePhase {
  return progress(node, options).phase
}

export const justApplied = aNode('a').on('new', { at: noon - 5 * minute, since: noon - 4 * minute })
