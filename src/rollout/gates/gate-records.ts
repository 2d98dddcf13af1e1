import { createHash } from 'node:crypto'
import type { GateStatus, HistoryEntry } from '../../protocol/node-pool.ts'
import { countedFrom, type RolloutClock } from '../model/deadlines.ts'
import type { Instant } from '../model/instant.ts'
import { stamp } from '../model/instant.ts'
import type { GateCheck, GatePolicy } from '../model/policy.ts'
import type { GateAnswer, GateQuestion } from '../model/snapshot.ts'

/** What a record is about. */
export type GateIdentity = Pick<GateStatus, 'name' | 'wave' | 'revision' | 'rollout' | 'check'>

function identityOf({ name, wave, revision, rollout, check }: GateStatus): GateIdentity {
  return { name, wave, revision, rollout, ...(check !== undefined && { check }) }
}

const HASH_LENGTH = 16

export function checkHash(check: GateCheck): string {
  return createHash('sha256').update(JSON.stringify(check)).digest('hex').slice(0, HASH_LENGTH)
}

/** Of this gate as it is now: a commit may have changed its check. One of an earlier release does not say. */
export function isRecordOf({ name, check }: GateStatus, gate: GatePolicy): boolean {
  return name === gate.name && (check === undefined || check === checkHash(gate.check))
}

export function isOfEntry({ revision, rollout }: GateStatus, entry: HistoryEntry): boolean {
  return entry.startedAt === rollout && entry.revision === revision
}

/** A gate begins to wait, or to take down what is so before its wave, or has that from before. */
export function beginRecord(
  about: GateIdentity,
  { state, now }: { readonly state: 'Recording' | 'Recorded' | 'Waiting'; readonly now: Instant },
): GateStatus {
  return { ...about, state, since: stamp(now) }
}

/** The wave is done. */
export function waiting(record: GateStatus, now: Instant): GateStatus {
  return { ...beginRecord(identityOf(record), { state: 'Waiting', now }), ...recorded(record) }
}

/** What is noted of what was so before the wave. */
export function recorded({ before, recordedAt }: GateStatus): Pick<GateStatus, 'before' | 'recordedAt'> {
  return { ...(before && { before }), ...(recordedAt !== undefined && { recordedAt }) }
}

/** Nothing is asked of it for now: its time does not run on, and what it said is not counted. Undefined: nothing is left to remember. */
export function suspended(record: GateStatus): GateStatus | undefined {
  if (record.state !== 'Waiting') return record
  return record.before && { ...identityOf(record), since: record.since, state: 'Recorded', ...recorded(record), begun: true }
}

/**
 * What an older record says is kept until this one can be asked: its time to record begins then. What was answered before counts no more.
 * Undefined: nothing is left to remember.
 */
export function unasked(record: GateStatus, now: Instant): GateStatus | undefined {
  if (record.state !== 'Recording' || !record.before) return undefined
  if (record.askedAt === undefined) return record
  return { ...beginRecord(identityOf(record), { state: 'Recording', now }), ...recorded(record) }
}

/** It may have been kept for long. */
function isKeptUnasked({ state, before, askedAt }: GateStatus): boolean {
  return state === 'Recording' && before !== undefined && askedAt === undefined
}

/** Nothing of it was used yet: what is so before the wave may be taken down later. */
export function mayRecordLater({ state, begun }: GateStatus): boolean {
  return state === 'Recorded' && begun === undefined
}

export function questionOf({ state }: GateStatus): GateQuestion | undefined {
  if (state === 'Recording') return 'before'
  return state === 'Waiting' ? 'after' : undefined
}

/** Its stamp is of a clock that has been put back since, or is no date: its time would never be over. */
export function restamped(record: GateStatus, now: Instant): GateStatus {
  return questionOf(record) && !(Date.parse(record.since) <= now) ? { ...record, since: stamp(now) } : record
}

/** Whether this is news to the record. */
export function isAnswerTo(record: GateStatus, answer: GateAnswer): boolean {
  return (
    answer.gate === record.name &&
    answer.wave === record.wave &&
    answer.revision === record.revision &&
    answer.rollout === record.rollout &&
    (record.check === undefined || answer.check === record.check) &&
    answer.question === questionOf(record) &&
    answer.at >= Date.parse(record.since) &&
    stamp(answer.at) !== record.askedAt
  )
}

/** The record with what was answered. Time alone fails no gate: it is asked once more when it is over. */
export function answered(
  record: GateStatus,
  answer: GateAnswer,
  { gate, clock }: { readonly gate: GatePolicy; readonly clock: Pick<RolloutClock, 'now' | 'steadySince'> },
): GateStatus {
  const { unanswered = 0 } = record
  const { verdict, value, message, unavailable = [] } = answer
  const askedAt = stamp(answer.at)
  const since = isKeptUnasked(record) ? askedAt : record.since
  const base = { ...identityOf(record), since, askedAt }
  const told = { ...base, ...(value !== undefined && Number.isFinite(value) && { value }), message }
  const again = { ...told, ...recorded(record), ...(verdict === 'Unanswered' && { unanswered: unanswered + 1 }) }
  if (answer.question === 'before')
    return verdict === 'Passed'
      ? {
          ...base,
          state: 'Recorded',
          ...(record.before ? { ...recorded(record), begun: true } : { recordedAt: askedAt }),
          before: unavailable,
        }
      : { ...again, state: 'Recording' }
  if (verdict === 'Passed') return { ...told, state: 'Passed' }
  return verdict === 'Failed' || isOverdue({ since, askedAt }, { gate, clock })
    ? { ...told, ...recorded(record), state: 'Failed' }
    : { ...again, state: 'Waiting' }
}

/** It was asked when its time was over, too. */
export function isOverdue(
  { since, askedAt }: Pick<GateStatus, 'since' | 'askedAt'>,
  { gate, clock }: { readonly gate: GatePolicy; readonly clock: Pick<RolloutClock, 'now' | 'steadySince'> },
): boolean {
  return askedAt !== undefined && Date.parse(askedAt) >= countedFrom(Date.parse(since), clock) + gate.timeout
}

const FIRST_BACKOFF = 5_000

/** When it is to be asked next; not later than now if that is due. */
export function nextAsk({ askedAt, unanswered = 0 }: GateStatus, { interval }: GatePolicy, now: Instant): Instant {
  const last = askedAt === undefined ? undefined : Date.parse(askedAt)
  if (last === undefined || last > now) return now
  return last + (unanswered > 0 ? Math.min(interval, FIRST_BACKOFF * 2 ** (unanswered - 1)) : interval)
}
