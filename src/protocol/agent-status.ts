import * as z from 'zod/mini'
import { CGROUP_VERSIONS } from './cgroup-version.ts'
import { DISRUPTIONS } from './desired-config.ts'
import { foreignText } from './foreign-text.ts'

/**
 * Where an agent stands with what it was assigned.
 * RolledBack: the change failed and the host is as before. Failed: undoing it failed too, a person is needed.
 * Blocked: the change needs more than the grant. Reverted: the annotation is gone, local configuration is back.
 */
export const AGENT_PHASES = [
  'Fetching',
  'Blocked',
  'Staging',
  'Applying',
  'Verifying',
  'Applied',
  'RolledBack',
  'Failed',
  'Reverted',
] as const
export type AgentPhase = (typeof AGENT_PHASES)[number]

/**
 * Reason of a Blocked report: others rewrote what the configuration goes over. Even what was granted has to be granted again, since the
 * same may have happened to every node at once.
 */
export const CHANGED_BY_OTHERS = 'ChangedByOthers'

/** Reason of a report: the API server answered right before a change, and not once after it, so the host went back. */
export const API_SERVER_LOST = 'ApiServerLost'
/** The same, where it had not answered before the change either. */
export const API_SERVER_AWAY = 'ApiServerAway'

/** Reason of a RolledBack report: the agent had taken up a later assignment, so this one was not tried. */
export const ASSIGNMENT_REPLAYED = 'AssignmentReplayed'
/** The Node has no assignment and shows no report about one, and the host has something of an assignment. */
export const ASSIGNMENT_LOST = 'AssignmentLost'

/** Why a machine has to start again. */
const rebootNeed = z.object({
  /** Id of the boot that has to end. */
  boot: z.string(),
  /** Files, packages and settings that want it. */
  because: z.array(z.string()),
})
export type RebootNeed = z.infer<typeof rebootNeed>

/** Reason of an Applying report: the machine was asked to reboot, and nothing is heard before it is back. */
export const REBOOTING = 'Rebooting'

/** Reasons of a failure: the machine refuses to reboot, or was asked to and did not. The host is as before. */
export const REBOOT_REFUSED = 'RebootRefused'
export const NOT_REBOOTED = 'NotRebooted'

/** Characters of the annotation; agents write a tenth of that. What is longer is dropped before it is read: whoever has a node's credential writes it. */
const MAX_ANNOTATION = 64 * 1024
const MAX_WORD = 200
const MAX_MESSAGE = 4000
const MAX_DRIFT = 200
const MAX_REBOOT = 50

const agentStatus = z.object({
  phase: z.enum(AGENT_PHASES),
  /** Digest the phase speaks of. */
  digest: z.optional(z.string()),
  revision: z.optional(z.string()),
  /** RFC 3339; when the phase was entered. */
  since: z.string(),
  attempts: z.optional(z.number()),
  assigned: z.optional(z.string()),
  /** ASSIGNED of the desired-config that the phase speaks of, verbatim: tells an old failure from that of a new attempt without comparing clocks. */
  assignedAt: z.optional(z.string()),
  /** The greatest COUNTER that was accepted of this Node. */
  counter: z.optional(z.int()),
  active: z.optional(z.string()),
  lastKnownGood: z.optional(z.string()),
  /** The least grant with which the work could go on. */
  needs: z.optional(z.enum(DISRUPTIONS)),
  error: z.optional(z.object({ reason: z.string(), message: z.string() })),
  /** Paths that no longer are as they were applied. */
  drift: z.optional(z.array(z.string())),
  /** Of these, what something else changes each time that it is put back; it is left alone until something else is assigned. */
  contested: z.optional(z.array(z.string())),
  /** The machine has to start again, whether or not it is allowed to. */
  reboot: z.optional(rebootNeed),
  /** Of control groups on the host; missing: version 2, or an agent that does not say it. */
  cgroup: z.optional(z.enum(CGROUP_VERSIONS)),
  agent: z.optional(z.string()),
  kubelet: z.optional(z.string()),
  /** RFC 3339, when the kubelet was started that this assignment restarted. A Ready that was said before says nothing of it. */
  kubeletStartedAt: z.optional(z.string()),
  /** uid of the Node that it was written to; missing: an agent that does not say it. */
  node: z.optional(z.string()),
})

/** The content of the `status` annotation. */
export type AgentStatus = z.infer<typeof agentStatus>

/** @returns undefined when there is none, or when what stands there was not written by an agent. */
export function parseAgentStatus(annotation: string | undefined): AgentStatus | undefined {
  if (annotation === undefined || annotation.length > MAX_ANNOTATION) return undefined
  try {
    const result = agentStatus.safeParse(JSON.parse(annotation))
    return result.success ? shownAsIs(result.data) : undefined
  } catch {
    return undefined
  }
}

/** Whether it was written to the Node with this uid, and not copied from another one by whoever made the Node again. */
export function isStatusOf({ node }: AgentStatus, uid: string | undefined): boolean {
  return node === undefined || node === uid
}

/** The one place where text of agents comes in. */
function shownAsIs({ error, drift, contested, reboot, ...rest }: AgentStatus): AgentStatus {
  const words = Object.entries(rest).map(([key, value]) => [
    key,
    typeof value === 'string' ? foreignText(value, MAX_WORD) : value,
  ])
  return {
    ...(Object.fromEntries(words) as typeof rest),
    ...(error && {
      error: { reason: foreignText(error.reason, MAX_WORD), message: foreignText(error.message, MAX_MESSAGE) },
    }),
    ...(reboot && {
      reboot: {
        boot: foreignText(reboot.boot, MAX_WORD),
        because: reboot.because.slice(0, MAX_REBOOT).map((what) => foreignText(what, MAX_WORD)),
      },
    }),
    ...(contested && { contested: contested.slice(0, MAX_DRIFT).map((path) => foreignText(path, MAX_WORD * 10)) }),
    ...(drift && { drift: drift.slice(0, MAX_DRIFT).map((path) => foreignText(path, MAX_WORD * 10)) }),
  }
}

/** The same text for the same status, however it came about: what reads differently is reported again. */
export function formatAgentStatus(status: AgentStatus): string {
  return JSON.stringify(agentStatus.parse(status))
}

/** The openings of error messages, in the words that Dynamic Kubelet Config taught people to search their logs for. */
export const ERROR_OPENINGS = {
  load: 'failed to load config',
  validate: 'failed to validate config',
  download: 'failed to sync: failed to download config',
  sync: 'failed to sync: internal failure',
  internal: 'internal failure',
} as const
export type ErrorClass = keyof typeof ERROR_OPENINGS
