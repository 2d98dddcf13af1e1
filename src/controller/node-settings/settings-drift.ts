import { type DriftRules, REPAIRS_PER_HOUR, statedPolicy } from '../../protocol/drift-policy.ts'
import {
  formatWrittenSettings,
  type NodeSettings,
  parseWrittenSettings,
  type SettingsHistory,
  taintName,
  type WrittenSettings,
} from '../../protocol/node-settings.ts'
import { isSameData } from '../../protocol/same-data.ts'
import type { Ceiling } from '../../rollout/model/ceiling.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { SettingsOnNode } from '../cache/settings-on-node.ts'
import { decidesOfRule } from '../ceilings/rule-labels.ts'

const HOUR = 3_600_000
const LABEL = 'label '

/** What is written to a Node because somebody changed it. */
export interface SettingsRepair {
  /** Of what Git has, that which is written again. Empty: the record alone. */
  readonly settings: NodeSettings
  readonly history: SettingsHistory
}

export interface Situation {
  readonly now: SettingsOnNode
  readonly drift: DriftRules
  readonly at: Instant
  /** Absent: anything is allowed. */
  readonly ceiling?: Ceiling | undefined
}

/**
 * What others changed of a Node's settings, and what to do about it by the policy; undefined: nothing. What was repaired as often as the
 * policy says within an hour is left alone until the next assignment, which begins a new record. Pure.
 */
export function settingsRepair(wanted: NodeSettings, { now, drift, at, ceiling }: Situation): SettingsRepair | undefined {
  const record = parseWrittenSettings(now.written)
  const policy = statedPolicy(drift, 'node')
  const changed = policy === 'Ignore' ? [] : changedSubjects(wanted, now)
  const recent = recentRepairs(record, at)
  const mayRepair = (subject: string) => !evicts(subject) && !isOfRule(subject, ceiling)
  const most = drift.repairsPerHour ?? REPAIRS_PER_HOUR
  const isFought = (subject: string) => Object.hasOwn(record.contested ?? {}, subject) || (recent[subject]?.length ?? 0) >= most
  const contested = changed.filter((subject) => policy !== 'Report' && isFought(subject))
  const repaired = changed.filter((subject) => policy !== 'Report' && !contested.includes(subject) && mayRepair(subject))
  const history = {
    repairs: { ...recent, ...Object.fromEntries(repaired.map((subject) => [subject, [...(recent[subject] ?? []), stamp(at)]])) },
    drift: changed.filter((subject) => !repaired.includes(subject)),
    contested: { ...Object.fromEntries(contested.map((subject) => [subject, managerOf(subject, now)])), ...record.contested },
  }
  if (repaired.length === 0 && isRecorded(wanted, history, record)) return undefined
  return { settings: only(wanted, repaired), history }
}

/** `label tier`, `annotation example.com/owner`, `taint gpu:NoSchedule`. */
function changedSubjects({ labels = {}, annotations = {}, taints = [] }: NodeSettings, now: SettingsOnNode): string[] {
  const values = new Map(now.taints?.map((taint) => [taintName(taint), taint.value ?? '']))
  return [
    ...changedKeys(labels, now.labels).map((key) => `label ${key}`),
    ...changedKeys(annotations, now.annotations).map((key) => `annotation ${key}`),
    ...taints.filter((one) => values.get(taintName(one)) !== (one.value ?? '')).map((one) => `taint ${taintName(one)}`),
  ]
}

function changedKeys(wanted: Readonly<Record<string, string>>, now: Readonly<Record<string, string>> = {}): string[] {
  return Object.keys(wanted).filter((key) => !Object.hasOwn(now, key) || now[key] !== wanted[key])
}

/** To write such a taint evicts pods at once, whatever their budgets say: only an assignment does, after its drain. */
function evicts(subject: string): boolean {
  return subject.startsWith('taint ') && subject.endsWith(':NoExecute')
}

function isOfRule(subject: string, ceiling: Ceiling | undefined): boolean {
  return subject.startsWith(LABEL) && decidesOfRule(subject.slice(LABEL.length), ceiling)
}

function recentRepairs({ repairs = {} }: WrittenSettings, at: Instant): Readonly<Record<string, string[]>> {
  const recent = Object.entries(repairs).map(([subject, stamps]) => [
    subject,
    stamps.filter((stamp) => Math.abs(at - Date.parse(stamp)) < HOUR),
  ])
  return Object.fromEntries(recent.filter(([, stamps = []]) => stamps.length > 0))
}

function managerOf(subject: string, { managers = {} }: SettingsOnNode): string {
  return managers[subject.startsWith('taint ') ? 'taints' : subject] ?? ''
}

function only({ labels = {}, annotations = {}, taints = [] }: NodeSettings, subjects: readonly string[]): NodeSettings {
  const picked = (kind: string, texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).filter(([key]) => subjects.includes(`${kind} ${key}`)))
  return {
    labels: picked('label', labels),
    annotations: picked('annotation', annotations),
    taints: taints.filter((taint) => subjects.includes(`taint ${taintName(taint)}`)),
  }
}

/** The record says it already, and names all that Git has: somebody may have taken it away. */
function isRecorded(wanted: NodeSettings, { drift, contested }: SettingsHistory, record: WrittenSettings): boolean {
  const { repairs: _, ...said } = record
  const { repairs: __, ...due } = parseWrittenSettings(
    formatWrittenSettings(wanted, { ...(drift && { drift }), ...(contested && { contested }) }) ?? undefined,
  )
  return isSameData(said, due)
}

function stamp(at: Instant): string {
  return new Date(at).toISOString()
}
