import * as z from 'zod'
import { scheduleProblems } from '../../calendar/schedule.ts'
import { isTimeZone } from '../../calendar/time-zone.ts'
import { dateRange, duration, name, selector, share } from './common.ts'
import { gate } from './gate.ts'

const wave = z.strictObject({
  name: name.describe('Name of the wave in status and events.'),
  nodes: z
    .union([share, selector], 'expected a whole number, a percentage of at most 100% such as "20%", or a selector')
    .describe(
      'Nodes that the wave adds to those before it: a count, a percentage of the pool (rounded down, at least one node), or a selector that names them. The last wave takes what is left.',
    ),
  soak: duration
    .exactOptional()
    .describe('How long the wave must stay healthy before the next one opens. Default: 5m, and 0s for the last wave.'),
  maxFailures: share
    .exactOptional()
    .describe('Failed nodes of this wave that are tolerated; a percentage is of the wave. The limit of the pool also applies.'),
  manual: z.boolean().exactOptional().describe('The wave opens when an operator promotes the revision.'),
})

const drain = z.strictObject({
  mode: z
    .enum(['Auto', 'Always', 'Never'])
    .exactOptional()
    .describe('Auto drains when the change needs it, such as a minor version. Default: Auto.'),
  timeout: duration.exactOptional().describe('Time that a drain may take, from the cordon. Default: 15m.'),
  onTimeout: z
    .enum(['Wait', 'Proceed', 'Skip'])
    .exactOptional()
    .describe(
      'Wait keeps the node cordoned and goes on evicting; Proceed changes the node with the pods that are left; Skip uncordons the node and comes back to it later. Default: Wait.',
    ),
  deleteEmptyDirData: z.boolean().exactOptional().describe('Evict pods with emptyDir volumes; their data is lost.'),
  force: z.boolean().exactOptional().describe('Evict pods without a controller that replaces them.'),
  gracePeriodSeconds: z.int().min(0).exactOptional().describe('Instead of the grace period that each pod states.'),
})

const proofPod = z.strictObject({
  mode: z
    .enum(['Auto', 'Always', 'Never'])
    .exactOptional()
    .describe('Auto runs a pod after changes that disturb the node; Always after every change; Never runs none. Default: Auto.'),
  image: z
    .string()
    .regex(/^[a-zA-Z0-9][-a-zA-Z0-9._:/@]{0,499}$/, 'expected an image such as "registry.example.com/busybox:1.37"')
    .exactOptional()
    .describe('Image of the pod. Default: a pause image that the node has; a node that reports none is not proved.'),
  command: z
    .array(z.string().min(1).max(10_000))
    .min(1)
    .max(100)
    .exactOptional()
    .describe('Command of the pod, which must end with exit code 0. Default: the entrypoint of the image.'),
  claim: z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/, 'expected the name of a PersistentVolumeClaim')
    .exactOptional()
    .describe(
      'PersistentVolumeClaim in the namespace nodewave-proof that many nodes can mount (ReadWriteMany, ReadOnlyMany): the pod mounts it at /proof. Default: none.',
    ),
  timeout: duration
    .exactOptional()
    .describe('A node whose pod has not run after this time has failed (PodProofFailed); at least 5s. Default: 2m.'),
})

const proof = z.strictObject({
  pod: proofPod.exactOptional().describe('A pod that must run on a changed node before the node counts as done.'),
})

const reboot = z.strictObject({
  whenRequired: z
    .enum(['Never', 'InWindows'])
    .exactOptional()
    .describe(
      'Machines whose packages require a reboot: Never leaves that to nodewave reboot; InWindows drains and reboots them in waves, while nodes may be selected, each at most once a day. Default: Never.',
    ),
  timeout: duration
    .exactOptional()
    .describe('Time that a reboot may take in addition to applyTimeout, until the agent is back. Default: 10m.'),
})

/** With six, the first would be seconds. */
const FIVE_FIELDS = /^\S+(?: \S+){4}$/

const disturbance = z.enum(['restart', 'drain', 'reboot'])

const disruption = z.strictObject({
  minorVersion: disturbance.exactOptional().describe('Disruption of another minor version of the kubelet. Default: drain.'),
  patchVersion: disturbance.exactOptional().describe('Disruption of another patch version. Default: restart.'),
  fields: z
    .record(z.string(), disturbance)
    .exactOptional()
    .describe('Disruption of a change of a KubeletConfiguration field, or of its flag; see docs/drain.md.'),
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
    .describe('IANA time zone. Default: UTC.'),
  action: z.enum(['allow', 'deny']).exactOptional().describe('deny overrides allow. Default: allow.'),
})

/** How a pool is rolled. What is absent is taken from the Fleet, then from the defaults; see `rollout-settings.ts`. */
export const rollout = z.strictObject({
  waves: z.array(wave).min(1).max(100).exactOptional().describe('In order. Default: one wave of all nodes.'),
  maxUnavailable: share
    .exactOptional()
    .describe('Nodes that may be unavailable at once, for whatever reason; at least 1. Default: 1.'),
  maxFailures: share.exactOptional().describe('Failed nodes that are tolerated before the pool stops. Default: 0.'),
  onFailure: z
    .enum(['Rollback', 'Halt'])
    .exactOptional()
    .describe('Rollback returns the pool to the revision that it completed last; Halt stops it. Default: Rollback.'),
  allowDowngrade: z
    .boolean()
    .exactOptional()
    .describe(
      'Kubelets may go back to an older minor, which Kubernetes does not support; a revert to content that the pool ran before is allowed.',
    ),
  applyTimeout: duration.exactOptional().describe('A node that has not finished after this time counts as failed. Default: 10m.'),
  agentTimeout: duration
    .exactOptional()
    .describe('A node whose agent has not started after this time counts as failed (AgentSilent). Default: applyTimeout.'),
  trial: duration.exactOptional().describe('Time that a configuration must stay healthy to become last-known-good. Default: 2m.'),
  drain: drain.exactOptional(),
  disruption: disruption.exactOptional().describe('Overrides of the disruption that a change needs.'),
  proof: proof.exactOptional().describe('What a changed node must show before it counts as done.'),
  reboot: reboot.exactOptional().describe('When machines reboot that require it.'),
  zones: z
    .enum(['Any', 'OneAtATime'])
    .exactOptional()
    .describe('OneAtATime selects no node while the rollout makes nodes of another zone of this pool unavailable. Default: Any.'),
  cordoned: z
    .enum(['Skip', 'Change'])
    .exactOptional()
    .describe(
      'Nodes that somebody else cordoned: Skip waits until they are uncordoned; Change changes them, and they stay cordoned. Default: Skip.',
    ),
  windows: z
    .array(window)
    .max(100)
    .exactOptional()
    .describe('When nodes may be selected: while an allow window is open, or always without one, and no deny window is open.'),
  rollbackOutsideWindows: z
    .boolean()
    .exactOptional()
    .describe('Whether a pool rolls back after a failure while no window is open. Default: true.'),
  gates: z
    .array(gate)
    .max(20)
    .exactOptional()
    .describe(
      'Checks that must pass after a wave before the next one opens, and after the last wave before the rollout is complete.',
    ),
})
export type RolloutSpec = z.infer<typeof rollout>
export type WindowSpec = z.infer<typeof window>
