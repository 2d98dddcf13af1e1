import type { GateStatus, HistoryEntry } from '../../protocol/node-pool.ts'
import { isApplied, isReplayed, reportedAt } from '../model/agent-report.ts'
import type { Instant } from '../model/instant.ts'
import type { GatePolicy } from '../model/policy.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import type { NodeTarget } from '../model/snapshot.ts'
import { isAssigned, isInRollout } from '../model/wanted-assignment.ts'
import { HISTORY_KEPT, reachesBackTo } from '../target/history.ts'
import { isOfEntry, isRecordOf, mayRecordLater, recorded } from './gate-records.ts'
import { isExposedInWave } from './late-record.ts'

/**
 * What was noted of workloads before a commit that has not completed counts for the next one, too: noted again, what the first one broke would
 * seem to have been so before. A retry is asked the same again, and so is a wave that a commit puts in the place of another one. Another commit
 * has to take its place on all nodes in the open waves, or what it repairs would still be broken when its gate is asked.
 */
export function notedBefore(gate: GatePolicy, state: PoolState): Pick<GateStatus, 'before' | 'recordedAt'> | undefined {
  const { history, gates = [] } = state.rollout.memory
  const last = gates.findLast((record) => record.before && isComparable(record, { gate, state }) && entriesSince(record, history))
  const entries = last && entriesSince(last, history)
  const entry = last && entryOf(last, history)
  if (!entries || entry?.result === 'Completed') return undefined
  // One that came too late shows nothing of what any node had broken.
  const recordedAt = last.recordedAt === undefined ? Number.NEGATIVE_INFINITY : Date.parse(last.recordedAt)
  const made = { recordedAt, since: Math.min(Date.parse(last.rollout), recordedAt) }
  const isSame = entry?.fingerprint === state.rollout.target.fingerprint && !hasCompletedAnother(entry, history)
  // Until the wave may begin, other nodes may take the places in it.
  const mayBegin = state.blocker() === undefined || isExposedInWave(state)
  return isSame || (mayBegin && isReplaced(made, { entries, state })) ? recorded(last) : undefined
}

/** After this rollout, and not only what it had begun from: what was unavailable before it says nothing any more. */
function hasCompletedAnother(entry: HistoryEntry, history: readonly HistoryEntry[]): boolean {
  const index = history.indexOf(entry)
  const before = new Set(completedIn(history.slice(index + 1)))
  // The history may have lost what the pool went back to.
  const since = history.slice(1, Math.max(1, entry.result === 'RolledBack' ? index - 1 : index))
  return completedIn(since).some((fingerprint) => !before.has(fingerprint))
}

function completedIn(entries: readonly HistoryEntry[]): readonly string[] {
  return entries.flatMap(({ result, fingerprint }) => (result === 'Completed' ? [fingerprint] : []))
}

/** What was so before an older rollout, of which a later wave may have what that has broken; or that a gate has let that pass. */
export function isStillNeeded(
  record: GateStatus,
  { tended, state }: { readonly tended: readonly GateStatus[]; readonly state: PoolState },
): boolean {
  const { history } = state.rollout.memory
  const isOfWorkloads = state.pool.policy.gates?.some(({ name, check }) => name === record.name && check.kind === 'workloads')
  const isNeeded = record.before || (isOfWorkloads && record.state === 'Passed' && entryOf(record, history))
  const entries = isNeeded && entriesSince(record, history)
  if (!entries || entries.some(({ result }) => result === 'Completed')) return false
  const isTakenOver = ({ name, before, recordedAt }: GateStatus): boolean =>
    name === record.name && before !== undefined && record.before !== undefined && recordedAt === record.recordedAt
  return !tended.some(isTakenOver)
}

/** A commit may have changed which namespaces it looks at: what was so before stays true. A wave that has not begun records again. */
function isComparable(record: GateStatus, { gate, state }: { readonly gate: GatePolicy; readonly state: PoolState }): boolean {
  if (isRecordOf(record, gate)) return true
  return record.name === gate.name && (!mayRecordLater(record) || isExposedInWave(state))
}

/**
 * Between the rollout of the record and the one under way, the former included. Newer ones may have made room in the history for others, but not
 * for what has completed last. Undefined: nothing tells of that time.
 */
function entriesSince(record: GateStatus, history: readonly HistoryEntry[]): readonly HistoryEntry[] | undefined {
  const [, ...older] = history
  const entry = entryOf(record, history)
  if (entry) return history.slice(1, history.indexOf(entry) + 1)
  const startedAt = Date.parse(record.rollout)
  const hasMadeRoom = history.length >= HISTORY_KEPT && startedAt < reachesBackTo(history)
  return hasMadeRoom ? older.filter((other) => Date.parse(other.startedAt) > startedAt) : undefined
}

function entryOf(record: GateStatus, entries: readonly HistoryEntry[]): HistoryEntry | undefined {
  return entries.find((entry) => isOfEntry(record, entry))
}

interface Made {
  readonly recordedAt: Instant
  /** It may be older than the rollout of the record, and was kept from one to the next. */
  readonly since: Instant
}

/**
 * None of these rollouts completed, and the open waves have every node that has something else than the stable content, which the record does not
 * show.
 */
function isReplaced(
  made: Made,
  { entries, state }: { readonly entries: readonly HistoryEntry[]; readonly state: PoolState },
): boolean {
  const { members, open, pool, rollout, now } = state
  if (entries.some(({ result }) => result === 'Completed')) return false
  const isLeft = ({ node, report, wave }: Member): boolean => {
    if (node.leaving || (wave !== undefined && wave <= open)) return false
    const stable = rollout.stable?.wanted.get(node.name)
    if (node.assigned === undefined || isReplayed(report)) return runsOther(node, [stable, rollout.target.wanted.get(node.name)])
    if (node.assigned.pool !== pool.name || isAssigned(node, stable)) return false
    return isInRollout(node.assigned, { rolloutStart: made.since }) || isAppliedSince(report, { ...made, now })
  }
  return !members.some(isLeft)
}

/** Its assignment is lost, or an older one has come back: nothing shows since when it has what it runs. */
function runsOther({ status }: Member['node'], known: readonly (NodeTarget | undefined)[]): boolean {
  const { active } = status ?? {}
  return active !== undefined && !known.some((content) => content?.kind === 'config' && content.digest === active)
}

/** It was at work when the record was made, as where it was down: only then may it have broken something. A stamp from ahead does not say. */
function isAppliedSince(
  report: Member['report'],
  { recordedAt, now }: { readonly recordedAt: Instant; readonly now: Instant },
): boolean {
  const appliedAt = isApplied(report) ? reportedAt(report) : Number.NaN
  return recordedAt <= appliedAt && appliedAt <= now
}
