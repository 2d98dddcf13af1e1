import * as z from 'zod/mini'

/**
 * Repair: what somebody changed on a host is put back. Report: the status tells of it. Ignore: nobody looks. The next assignment puts back
 * all of it.
 */
export const DRIFT_POLICIES = ['Repair', 'Report', 'Ignore'] as const
export type DriftPolicy = (typeof DRIFT_POLICIES)[number]

/**
 * Sections of the host document, and the kubelet with all that it is made of. What comes in an archive is files and links. `node` is the
 * Node object, which the controller watches; the others are the agent's.
 */
export const DRIFT_KINDS = [
  'files',
  'edits',
  'directories',
  'links',
  'groups',
  'users',
  'units',
  'sysctls',
  'kernelModules',
  'swap',
  'time',
  'certificates',
  'staticPods',
  'kernelArguments',
  'repositories',
  'packages',
  'kubelet',
  'node',
] as const
export type DriftKind = (typeof DRIFT_KINDS)[number]

export const driftRules = z.strictObject({
  policy: z.optional(z.enum(DRIFT_POLICIES)),
  kinds: z.optional(z.partialRecord(z.enum(DRIFT_KINDS), z.enum(DRIFT_POLICIES))),
  repairsPerHour: z.optional(z.int().check(z.gte(1))),
})

/** What the repository says; what it does not say is as it was before there was a word for it. */
export type DriftRules = z.infer<typeof driftRules>

/** A thing that is put back so often within an hour is changed by another tool: it is left to that, and named. */
export const REPAIRS_PER_HOUR = 4

/** @returns undefined where nothing is said: what restarts nothing is repaired, the rest is reported. */
export function statedPolicy({ policy, kinds = {} }: DriftRules, kind: string): DriftPolicy | undefined {
  return (kinds as Readonly<Record<string, DriftPolicy | undefined>>)[kind] ?? policy
}
