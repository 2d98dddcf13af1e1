import type { Reach } from '../../kube/reach.ts'
import { KUBELET_UNIT } from '../paths.ts'
import type { UnitLook } from '../ports.ts'
import type { Missed } from '../state/state.ts'
import type { Look } from './health-judge.ts'
import { type HeartbeatRecord, heartbeatsFrom, isOfTheBackup, observeHeartbeat } from './heartbeat-record.ts'
import { observeProcess, type ProcessRecord, recordFrom } from './process-record.ts'
import { looksHealthy } from './verify.ts'

/** One look during a trial. */
export interface TrialLook extends Look {
  /** What the Node shows against the kubelet; `unknown` when the API server does not say. */
  readonly node:
    | { readonly kind: 'fine' }
    | { readonly kind: 'unknown'; readonly reach: Reach }
    | { readonly kind: 'complaint'; readonly message: string }
  /** The kubelet's last one, as the Node shows it; undefined when it shows none, or when the API server does not say. */
  readonly heartbeat: number | undefined
  /** The API server has not been heard of since the change. */
  readonly isUnheard: boolean
  /** It did not answer before the change either: what brings it back may take its time. */
  readonly wasAway: boolean
  /** The machine is starting, and what does not run yet says nothing. */
  readonly isStarting: boolean
}

/** What is on trial. */
export interface TrialSubject {
  readonly digest: string
  /** The transaction that last changed the host: the same content may be applied once more. */
  readonly change: string | undefined
}

/** What the looks during a trial have shown. Monotonic milliseconds. */
export interface TrialRecord extends TrialSubject {
  readonly startedAt: number
  readonly kubelet: ProcessRecord
  readonly heartbeats: HeartbeatRecord
  /** Restarts that the service manager had counted when the trial began, by unit. */
  readonly restarts: Readonly<Record<string, number>>
  /** Since when the host has not been healthy; undefined while it is. */
  readonly unwellSince: number | undefined
  /** Since when the Node has spoken against the kubelet. */
  readonly complainedSince: number | undefined
  /** Since when the API server is looked for in vain that has to be heard of after the change. */
  readonly unheardSince: number | undefined
  /** Since when nothing at all has come back, also where it came back before the change. */
  readonly silentSince: number | undefined
}

export interface TrialLimits {
  readonly duration: number
  readonly unwell: number
  readonly unready: number
  readonly lost: number
  readonly down: number
}

export type TrialVerdict =
  | { readonly kind: 'holding' | 'passed' }
  | { readonly kind: 'failed'; readonly message: string; readonly unit?: string }
  /** Milliseconds without the API server. */
  | { readonly kind: 'cut off'; readonly for: number }

/** A unit dies and comes back between two looks: this many times is no accident. */
const RESTARTS_TO_FAIL = 3
const HOLDING: TrialVerdict = { kind: 'holding' }

/** @param shown the kubelet's heartbeat on the Node when the change was proved; undefined when the Node was not asked */
export function trialFrom({ digest, change }: TrialSubject, at: number, shown?: number): TrialRecord {
  return {
    digest,
    change,
    startedAt: at,
    kubelet: recordFrom(Number.NEGATIVE_INFINITY, at),
    restarts: {},
    heartbeats: heartbeatsFrom(shown, at),
    unwellSince: undefined,
    complainedSince: undefined,
    unheardSince: undefined,
    silentSince: undefined,
  }
}

/**
 * Pure: with what the agent before had missed, unless it was down for as long as nothing may come back: nobody asked meanwhile.
 * @param boot that runs now
 */
export function goingOn(record: TrialRecord, missed: Missed, { boot, lost }: { boot: string; lost: number }): TrialRecord {
  if (missed.boot !== boot || record.startedAt - missed.at >= lost) return record
  return { ...record, unheardSince: missed.unheardSince, silentSince: missed.silentSince }
}

/** Pure: what an agent that starts again should know of the trial. */
export function missedBy(record: TrialRecord, { at, boot }: { at: number; boot: string }): Missed | undefined {
  const { unheardSince, silentSince } = record
  return unheardSince === undefined ? undefined : { boot, at, unheardSince, silentSince }
}

/** Pure. */
export function judgeTrial(
  before: TrialRecord,
  look: TrialLook,
  limits: TrialLimits,
): { readonly record: TrialRecord; readonly verdict: TrialVerdict } {
  const record = observeTrial(before, look)
  const looping = servicesOf(look).find(
    ({ unit, service }) => service.restarts - (record.restarts[unit] ?? 0) >= RESTARTS_TO_FAIL,
  )
  const isOver = (since: number | undefined, limit: number): boolean => since !== undefined && look.at - since >= limit
  if (looping !== undefined || isOver(record.unwellSince, limits.unwell)) {
    const trouble = looping === undefined ? troubleIn(look) : { message: 'it keeps exiting', unit: looping.unit }
    return { record, verdict: { kind: 'failed', ...(trouble ?? { message: 'it was not healthy' }) } }
  }
  if (look.node.kind === 'complaint' && isOver(record.complainedSince, limits.unready))
    return { record, verdict: { kind: 'failed', message: look.node.message } }
  if (isOver(record.silentSince, limits.lost) || isOver(record.unheardSince, limits.down))
    return { record, verdict: { kind: 'cut off', for: look.at - (record.unheardSince ?? look.at) } }
  const isNodeFine = look.node.kind === 'fine' && !isOfTheBackup(record.heartbeats, look.at)
  const holds = looksHealthy(look) && troubleIn(look) === undefined && isNodeFine
  return { record, verdict: holds && look.at - record.startedAt >= limits.duration ? { kind: 'passed' } : HOLDING }
}

export function observeTrial(before: TrialRecord, look: TrialLook): TrialRecord {
  const isUnwell = !look.isStarting && troubleIn(look) !== undefined
  const heartbeats = observeHeartbeat(before.heartbeats, look.heartbeat, look)
  const isComplained = !look.isStarting && look.node.kind === 'complaint' && !isOfTheBackup(heartbeats, look.at)
  const isUnheard = look.isUnheard && !look.isStarting
  const counted = servicesOf(look).map(({ unit, service }): [string, number] => {
    // What was restarted while the machine started does not count.
    const counted = look.isStarting ? service.restarts : (before.restarts[unit] ?? service.restarts)
    return [unit, Math.min(counted, service.restarts)]
  })
  return {
    ...before,
    kubelet: observeProcess(before.kubelet, look),
    heartbeats,
    restarts: Object.fromEntries(counted),
    unwellSince: isUnwell ? (before.unwellSince ?? look.at) : undefined,
    complainedSince: isComplained ? (before.complainedSince ?? look.at) : undefined,
    unheardSince: isUnheard ? (before.unheardSince ?? look.at) : undefined,
    silentSince: isUnheard && isSilent(look) ? (before.silentSince ?? look.at) : undefined,
  }
}

/** An API server that was away before, and one whose machine refuses connections, may be starting. */
function isSilent({ node, wasAway }: TrialLook): boolean {
  return !wasAway && node.kind === 'unknown' && node.reach === 'nobody'
}

function servicesOf({ service, units }: Look): UnitLook[] {
  return [{ unit: KUBELET_UNIT, service }, ...units]
}

/** What somebody stopped did not go bad: nothing that dies of itself is `inactive` under a unit that restarts it. */
export function troubleIn(look: Look): { readonly message: string; readonly unit?: string } | undefined {
  const { service, health, runtime } = look
  const down = look.units.find(({ service: { active } }) => active !== 'active' && active !== 'inactive')
  if (down !== undefined) return { message: `${down.unit} is ${down.service.active}`, unit: down.unit }
  if (service.active === 'inactive') return undefined
  if (!looksHealthy(look))
    return { message: service.active === 'active' ? health.detail : `its service is ${service.active}`, unit: KUBELET_UNIT }
  return runtime.ok ? undefined : { message: `the container runtime does not answer: ${runtime.detail}` }
}
