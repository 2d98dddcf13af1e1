import * as z from 'zod'
import type { NodePoolStatus } from '../../protocol/node-pool.ts'
import { GATE_STATES, OPERATOR_ACTIONS, POOL_CONDITIONS, REBOOT_STATES } from '../../protocol/node-pool.ts'

const revisionRef = z.object({
  revision: z.string().describe('Commit id, in full.'),
  fingerprint: z
    .string()
    .describe('Digest of all that the pool renders from at this commit; two commits with equal content share it.'),
  author: z.string().exactOptional(),
  subject: z.string().exactOptional(),
})

const laterFailures = z.object({
  nodes: z.array(z.string()).describe('Nodes that fail now; the first hundred.'),
  replaced: z
    .int()
    .describe('Machines that failed and were replaced, since the content last worked on a new one. Default: 0.')
    .exactOptional(),
  since: z.string().describe('When the last of them was gone.').exactOptional(),
  uids: z.array(z.string()).describe('Of the Nodes that count, those that are gone included; at most 200.').exactOptional(),
})

const lostNode = z.object({ name: z.string(), wave: z.string().exactOptional(), uid: z.string().exactOptional() })

const losses = z.object({
  nodes: z
    .array(lostNode)
    .describe('Nodes that failed, or that are not Ready for a minute in the middle of their change; the first hundred.'),
  replaced: z
    .array(lostNode)
    .describe('Nodes whose machines were replaced, or that left the pool, in that state: they have failed.'),
})

const historyEntry = revisionRef.extend({
  commits: z
    .array(z.string())
    .describe(
      'Commits of equal content under which the rollout went on; the last 20. Absent: none, or it ended without having completed.',
    )
    .exactOptional(),
  startedAt: z.string(),
  endedAt: z.string().exactOptional(),
  message: z.string().describe('Why it failed, if it did.').exactOptional(),
  failures: z.int().describe('The highest number of failed nodes at one time. Default: 0.').exactOptional(),
  laterFailures: laterFailures.describe('Failures after the rollout had completed.').exactOptional(),
  losses: losses.describe('Machines that may be replaced before they count as failed. Of the rollout under way.').exactOptional(),
  retriedAt: z
    .string()
    .describe('When an operator last had the nodes that failed try the completed content once more.')
    .exactOptional(),
  abandoned: z
    .literal(true)
    .describe('The pool completed it, and went back to older content afterwards: it has to prove itself again.')
    .exactOptional(),
  result: z.enum(['Running', 'Completed', 'Superseded', 'Halted', 'RolledBack']),
})

const gate = z.object({
  name: z.string(),
  wave: z.string().describe('The wave after which the gate must pass.'),
  revision: z.string(),
  rollout: z.string().describe('Start of the rollout that the result belongs to.'),
  check: z.string().describe('Hash of the check. The result of another check does not count.').exactOptional(),
  state: z.enum(GATE_STATES),
  since: z.string(),
  askedAt: z.string().exactOptional(),
  unanswered: z.int().describe('Number of checks in a row that could not run.').exactOptional(),
  value: z.number().describe('The measured value.').exactOptional(),
  message: z.string().exactOptional(),
  before: z.array(z.string()).describe('Workloads that were unavailable before the wave.').exactOptional(),
  recordedAt: z.string().exactOptional(),
  begun: z.literal(true).describe('The wave has begun since, and workloads are not recorded again.').exactOptional(),
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
  from: revisionRef.describe('The newest commit at the time of the request; another one ends the rollback.'),
  who: z.string().exactOptional(),
  at: z.string(),
})

const wave = z.object({
  index: z.int(),
  count: z.int(),
  name: z.string(),
  opened: z.array(z.string()).describe('Names of the waves that were opened, in order.').exactOptional(),
  sizes: z
    .array(z.object({ name: z.string(), nodes: z.int() }))
    .describe('How many nodes the waves that are percentages or selectors had when they opened.')
    .exactOptional(),
  soakedAt: z
    .string()
    .describe('When the last node of the wave had soaked, while the wave waits for a gate or a promotion.')
    .exactOptional(),
})

const approval = z.object({
  value: z.string().describe('As the annotation says.'),
  fingerprint: z.string(),
  rollout: z.string().describe('Start of the rollout that it applies to.').exactOptional(),
})

const heldNode = z.object({
  node: z.string(),
  reason: z.string(),
  who: z.string().exactOptional(),
  at: z.string().exactOptional(),
})

const nodeReboot = z.object({
  node: z.string(),
  state: z.enum(REBOOT_STATES),
  because: z.string().describe('What the operator or the host gives as the reason.'),
  since: z.string().describe('When the reboot was ordered.').exactOptional(),
  who: z.string().exactOptional(),
  at: z.string().describe('When the operator asked.').exactOptional(),
})

const controlRecord = z.object({
  action: z.enum(OPERATOR_ACTIONS),
  value: z.string().describe('The reason or the commit that was given.').exactOptional(),
  nodes: z.array(z.string()).exactOptional(),
  who: z.string().describe('The name that the operator gave; absent for an unsigned annotation.').exactOptional(),
  at: z.string(),
  outcome: z.enum(['Done', 'Refused']),
  message: z.string(),
})

/** The status of a NodePool, as the CustomResourceDefinition declares it and as it is read back: one source for both. */
export const nodePoolStatus = z.object({
  observedGeneration: z.int().exactOptional(),
  observedRevision: z.string().describe('The newest commit read from the branch, valid or not.').exactOptional(),
  acceptedRevision: z
    .string()
    .describe('The newest commit that was accepted, whether or not the pool follows it.')
    .exactOptional(),
  target: revisionRef
    .describe('The revision that nodes change to. After a rollback it is not the newest commit.')
    .exactOptional(),
  stable: revisionRef
    .describe('What every node of the pool completed last, or what a return was leading to when another commit came.')
    .exactOptional(),
  wave: wave.describe('The wave that was opened last.').exactOptional(),
  nodes: z.object({ total: z.int(), current: z.int(), byPhase: z.record(z.string(), z.int()) }),
  failed: z.array(z.object({ node: z.string(), reason: z.string(), message: z.string() })),
  rejected: z
    .array(revisionRef)
    .describe('Commits that failed in this pool. They are tried again only after nodewave retry. Newest first, at most 10.'),
  observedControls: observedControls.describe('The control annotations that the controller has acted on.').exactOptional(),
  rollback: askedRollback.describe('The rollback that an operator requested, while it lasts.').exactOptional(),
  promotion: approval.describe('The content that may enter manual waves.').exactOptional(),
  fleetRetry: approval.describe('The content that continues in spite of failures in the fleet.').exactOptional(),
  rollbackTo: z
    .array(revisionRef)
    .describe('Rollback targets: revisions that are kept in the cluster and did not fail here. Newest first.'),
  held: z.array(heldNode).describe('Held nodes, by name, at most 50.'),
  reboots: z.array(nodeReboot).describe('Nodes that have to reboot, by name, at most 50.').exactOptional(),
  controls: z.array(controlRecord).describe('Recent operator actions, newest first, at most 10.'),
  gates: z.array(gate).describe('Results of the gates of the last rollout with gates.').exactOptional(),
  history: z.array(historyEntry).describe('Newest first, at most 10.'),
  conditions: z.array(condition),
  summary: z
    .object({
      revision: z.string(),
      wave: z.string(),
      updated: z.string(),
      paused: z.enum(['Pool', 'Fleet']).describe('What is paused; absent when nothing is.').exactOptional(),
    })
    .describe('The columns of kubectl get.')
    .exactOptional(),
})

/**
 * Reads back what the controller wrote. A member that somebody spoiled is left out and the rest is kept: losing all of it
 * would forget which revision is stable and which ones failed.
 */
export function parsePoolStatus(value: unknown): Partial<NodePoolStatus> {
  if (value === null || typeof value !== 'object') return {}
  const members: Record<string, unknown> = {}
  for (const [key, schema] of MEMBERS) {
    if (!Object.hasOwn(value, key)) continue
    const result = schema.safeParse((value as Record<string, unknown>)[key])
    if (result.success) members[key] = result.data
  }
  return members as Partial<NodePoolStatus>
}

const MEMBERS = Object.entries(nodePoolStatus.shape)
