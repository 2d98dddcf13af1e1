import * as z from 'zod'
import type { NodePoolStatus } from '../../protocol/node-pool.ts'
import { GATE_STATES, OPERATOR_ACTIONS, POOL_CONDITIONS } from '../../protocol/node-pool.ts'

const revisionRef = z.object({
  revision: z.string().describe('Commit id, in full.'),
  fingerprint: z
    .string()
    .describe('Digest of all that the pool renders from at this commit; two commits with equal content share it.'),
  author: z.string().exactOptional(),
  subject: z.string().exactOptional(),
})

const historyEntry = revisionRef.extend({
  startedAt: z.string(),
  endedAt: z.string().exactOptional(),
  message: z.string().describe('Why it failed, if it did.').exactOptional(),
  failures: z.int().describe('The most nodes that were seen failed at one time; none unless stated.').exactOptional(),
  result: z.enum(['Running', 'Completed', 'Superseded', 'Halted', 'RolledBack']),
})

const gate = z.object({
  name: z.string(),
  wave: z.string().describe('The wave after which it is asked.'),
  revision: z.string(),
  rollout: z.string().describe('When the run began that it belongs to.'),
  state: z.enum(GATE_STATES),
  since: z.string(),
  askedAt: z.string().exactOptional(),
  unanswered: z.int().describe('How often in a row it could not be asked.').exactOptional(),
  value: z.number().describe('What was measured.').exactOptional(),
  message: z.string().exactOptional(),
  before: z.array(z.string()).describe('Workloads that were unavailable before the wave.').exactOptional(),
  recordedAt: z.string().exactOptional(),
})

const condition = z.object({
  type: z.enum(POOL_CONDITIONS),
  status: z.enum(['True', 'False']),
  reason: z.string(),
  message: z.string(),
  lastTransitionTime: z.string(),
  observedGeneration: z.int().exactOptional(),
})

const observedControls = z.object({
  paused: z.string().exactOptional(),
  fleetPaused: z.string().exactOptional(),
  promoted: z.string().exactOptional(),
  retry: z.string().exactOptional(),
  rollback: z.string().exactOptional(),
  reconcileAt: z.string().exactOptional(),
})

const askedRollback = z.object({
  to: revisionRef,
  from: revisionRef.describe('The newest commit when it was asked; another one ends the rollback.'),
  who: z.string().exactOptional(),
  at: z.string(),
})

const approval = z.object({
  value: z.string().describe('As the annotation says.'),
  fingerprint: z.string(),
  rollout: z.string().describe('When the rollout began that it counts for.').exactOptional(),
})

const heldNode = z.object({
  node: z.string(),
  reason: z.string(),
  who: z.string().exactOptional(),
  at: z.string().exactOptional(),
})

const controlRecord = z.object({
  action: z.enum(OPERATOR_ACTIONS),
  value: z.string().describe('The reason or the commit that was given.').exactOptional(),
  nodes: z.array(z.string()).exactOptional(),
  who: z.string().describe('As they say themselves; absent when the annotation was written without saying.').exactOptional(),
  at: z.string(),
  outcome: z.enum(['Done', 'Refused']),
  message: z.string(),
})

/** The status of a NodePool, as the CustomResourceDefinition declares it and as it is read back: one source for both. */
export const nodePoolStatus = z.object({
  observedGeneration: z.int().exactOptional(),
  observedRevision: z.string().describe('The newest commit read from the branch, valid or not.').exactOptional(),
  target: revisionRef
    .describe('What nodes are being brought to. Another one than the newest commit after a rollback.')
    .exactOptional(),
  stable: revisionRef.describe('The last revision that every node of the pool completed.').exactOptional(),
  wave: z.object({ index: z.int(), count: z.int(), name: z.string() }).exactOptional(),
  nodes: z.object({ total: z.int(), current: z.int(), byPhase: z.record(z.string(), z.int()) }),
  failed: z.array(z.object({ node: z.string(), reason: z.string(), message: z.string() })),
  rejected: z
    .array(revisionRef)
    .describe('Commits that failed on this pool; not tried again until retried by a person. Newest first, at most 10.'),
  observedControls: observedControls.describe('The control annotations that have been acted on, as they stand.').exactOptional(),
  rollback: askedRollback.describe('A rollback that a person asked for, while it lasts.').exactOptional(),
  promotion: approval.describe('The content that may enter manual waves.').exactOptional(),
  fleetRetry: approval.describe('The content that goes on in spite of what failed at it in the whole fleet.').exactOptional(),
  rollbackTo: z
    .array(revisionRef)
    .describe('What the pool can be rolled back to: kept in the cluster, and not failed here. Newest first.'),
  held: z.array(heldNode).describe('Nodes that people took out of rollouts. By name, at most 50.'),
  controls: z.array(controlRecord).describe('The last that people did, newest first, at most 10.'),
  gates: z.array(gate).describe('What the gates of the last run that had any have said.').exactOptional(),
  history: z.array(historyEntry).describe('Newest first, at most 10.'),
  conditions: z.array(condition),
  summary: z
    .object({ revision: z.string(), wave: z.string(), updated: z.string() })
    .describe('What the table of kubectl get shows.')
    .exactOptional(),
})

/**
 * Reads back what the controller wrote. A member that somebody spoiled is left out and the rest is kept: losing all of it
 * would forget which revision is stable and which ones failed.
 */
export function parsePoolStatus(value: unknown): Partial<NodePoolStatus> {
  if (value === null || typeof value !== 'object') return {}
  const members = Object.entries(nodePoolStatus.shape).flatMap(([key, schema]) => {
    const result = schema.safeParse((value as Record<string, unknown>)[key])
    return result.success ? [[key, result.data] as const] : []
  })
  return Object.fromEntries(members) as Partial<NodePoolStatus>
}
