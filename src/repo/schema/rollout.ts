import * as z from 'zod'
import { scheduleProblems } from '../../calendar/schedule.ts'
import { isTimeZone } from '../../calendar/time-zone.ts'
import { dateRange, duration, name, selector, share } from './common.ts'
import { gate } from './gate.ts'

const wave = z.strictObject({
  name: name.describe('What status calls the wave.'),
  nodes: z
    .union([share, selector], 'expected a whole number, a percentage such as "20%", or matchLabels')
    .describe(
      'How many nodes are done when the wave is: a count or a percentage of the pool, or a selector that names them. The last wave always takes what is left.',
    ),
  soak: duration
    .exactOptional()
    .describe('How long the wave must stay healthy before the next one opens. Default: 5m, and 0s for the last wave.'),
  maxFailures: share
    .exactOptional()
    .describe(
      'Failed nodes of this wave that are put up with, of its size if a percentage; the limit of the pool holds besides.',
    ),
  manual: z.boolean().exactOptional().describe('The wave waits until a person promotes the revision.'),
})

const drain = z.strictObject({
  mode: z
    .enum(['Auto', 'Always', 'Never'])
    .exactOptional()
    .describe('Auto drains where the change wants it, such as a new minor version; that is the default.'),
  timeout: duration.exactOptional().describe('How long a drain may take, counted from the cordon; 15m unless stated.'),
  onTimeout: z
    .enum(['Wait', 'Proceed', 'Skip'])
    .exactOptional()
    .describe(
      'Wait keeps the node cordoned and goes on evicting; Proceed changes the node with the pods that are left; Skip uncordons the node and comes back to it later. Default: Wait.',
    ),
  deleteEmptyDirData: z.boolean().exactOptional().describe('Evict pods with emptyDir volumes too; their data is lost.'),
  force: z.boolean().exactOptional().describe('Evict pods that no controller will make anew.'),
  gracePeriodSeconds: z.int().min(0).exactOptional().describe('Instead of the grace period that each pod states.'),
})

/** With six, the first would be seconds. */
const FIVE_FIELDS = /^\S+(?: \S+){4}$/

const disturbance = z.enum(['restart', 'drain', 'reboot'])

const disruption = z.strictObject({
  minorVersion: disturbance.exactOptional().describe('What another minor version of the kubelet takes; drain unless stated.'),
  patchVersion: disturbance.exactOptional().describe('What another patch version takes; restart unless stated.'),
  fields: z
    .record(z.string(), disturbance)
    .exactOptional()
    .describe('What a change of a field of KubeletConfiguration takes, or of the flag that sets the same; see docs/drain.md.'),
})

const window = z.strictObject({
  schedule: z
    .string()
    .regex(FIVE_FIELDS, 'expected a cron schedule of five fields, such as "0 22 * * mon-thu"')
    .refine((text) => !FIVE_FIELDS.test(text) || scheduleProblems(text).length === 0, {
      error: ({ input }) => `expected a cron schedule of five fields; ${scheduleProblems(String(input)).join('; ')}`,
    })
    .exactOptional()
    .describe('When the window opens: a cron schedule of five fields; day of month and weekday must both match.'),
  duration: duration.exactOptional().describe('How long it stays open; at most 744h.'),
  dates: z
    .array(dateRange)
    .min(1)
    .max(100)
    .exactOptional()
    .describe('Instead of a schedule: whole days, as "2026-12-24" or "2026-12-24/2027-01-02", the last one included.'),
  timeZone: z
    .string()
    .refine(isTimeZone, 'expected a time zone such as "Europe/Berlin"')
    .exactOptional()
    .describe('UTC unless stated.'),
  action: z.enum(['allow', 'deny']).exactOptional().describe('allow unless stated; deny wins.'),
})

/** How a pool is rolled. What is absent is taken from the Fleet, then from the defaults; see `rollout-settings.ts`. */
export const rollout = z.strictObject({
  waves: z.array(wave).min(1).max(100).exactOptional().describe('In order; one wave of all nodes unless stated.'),
  maxUnavailable: share
    .exactOptional()
    .describe('Nodes that may be unavailable at once, for whatever reason; at least 1. Default: 1.'),
  maxFailures: share.exactOptional().describe('Failed nodes that are put up with before the pool stops; 0 unless stated.'),
  onFailure: z
    .enum(['Rollback', 'Halt'])
    .exactOptional()
    .describe('Rollback, the default, brings the pool back to the last revision that it completed; Halt leaves it as it stands.'),
  allowDowngrade: z
    .boolean()
    .exactOptional()
    .describe(
      'Kubelets may go back to an older minor, which Kubernetes does not support; a revert to content that the pool ran before is allowed.',
    ),
  applyTimeout: duration
    .exactOptional()
    .describe('A node that has not ended the work after this long counts as failed; 10m unless stated.'),
  agentTimeout: duration
    .exactOptional()
    .describe(
      'A node whose agent has not taken an assignment after this long counts as failed (AgentSilent); applyTimeout unless stated.',
    ),
  trial: duration
    .exactOptional()
    .describe('How long health must hold before a configuration is last-known-good; 2m unless stated.'),
  drain: drain.exactOptional(),
  disruption: disruption.exactOptional().describe('Where you know better how much a change disturbs your nodes.'),
  zones: z
    .enum(['Any', 'OneAtATime'])
    .exactOptional()
    .describe(
      'OneAtATime takes no node while the rollout has made nodes of another zone of this pool unavailable; Any unless stated.',
    ),
  cordoned: z
    .enum(['Skip', 'Change'])
    .exactOptional()
    .describe(
      'Nodes that somebody else cordoned: Skip, the default, leaves them until they are uncordoned; Change changes them, and they stay cordoned.',
    ),
  windows: z
    .array(window)
    .max(100)
    .exactOptional()
    .describe('When something may begin: while an allow window is open, or at any time if there is none, and no deny window.'),
  rollbackOutsideWindows: z
    .boolean()
    .exactOptional()
    .describe('Whether a pool goes back after a failure though no window is open; true unless stated.'),
  gates: z
    .array(gate)
    .max(20)
    .exactOptional()
    .describe(
      'What must hold after a wave before the next one opens, and after the last before the rollout counts as completed.',
    ),
})
export type RolloutSpec = z.infer<typeof rollout>
export type WindowSpec = z.infer<typeof window>
