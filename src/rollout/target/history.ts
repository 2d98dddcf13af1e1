import type { HistoryEntry, RevisionRef } from '../../protocol/node-pool.ts'
import type { Instant } from '../model/instant.ts'
import { isFromAhead, stamp } from '../model/instant.ts'
import { completionOf, refOf } from '../model/remembered-revision.ts'
import type { Memory } from '../model/snapshot.ts'
import { withLaterFailures } from '../model/target-failures.ts'

export const HISTORY_KEPT = 10

/**
 * The history with the rollout towards `target` on top: the one that goes on, or a new one. A rollout ends where its content does;
 * commits that change nothing here do not show.
 * @param options.longest milliseconds that work may take
 */
export function withRollout(
  { history, stable }: Pick<Memory, 'history' | 'stable'>,
  target: RevisionRef,
  { startedAt, longest }: { readonly startedAt: Instant; readonly longest: number },
): readonly HistoryEntry[] {
  if (goesOn(history, target)) return named(repaired(history, { now: startedAt, longest }), target)
  const rollout: HistoryEntry = { ...refOf(target), startedAt: stamp(startedAt), result: 'Running' }
  const before = endRollout(withLaterFailures(history, { nodes: [] }), { result: 'Superseded', at: startedAt })
  return shortened([rollout, ...leftBehind(before, target)], [target, stable])
}

/** The oldest goes, but none that tells whether the target, or the stable content, is still proven. */
function shortened(history: readonly HistoryEntry[], contents: readonly (RevisionRef | undefined)[]): readonly HistoryEntry[] {
  if (history.length <= HISTORY_KEPT) return history
  const needed = new Set(contents.map((content) => content && completionOf(history, content)?.index))
  return history.toSpliced(
    history.findLastIndex((_, index) => !needed.has(index)),
    1,
  )
}

/** Of the target and of the stable content. */
const KEPT_FOR_CONTENT = 2

/**
 * Since when the history tells of every rollout. Of a full one the last entries may have been kept for what was the target, or stable, when newer
 * ones made room.
 */
export function reachesBackTo(history: readonly HistoryEntry[]): Instant {
  const oldest = history.length < HISTORY_KEPT ? history.at(-1) : history.at(-1 - KEPT_FOR_CONTENT)
  return Date.parse(oldest?.startedAt ?? '')
}

/** A return to older content is no word for what completed after that: it has to prove itself again. */
function leftBehind(history: readonly HistoryEntry[], target: RevisionRef): readonly HistoryEntry[] {
  const completed = completionOf(history, target)
  if (!completed || completed.abandoned) return history
  return history.map((entry, index) =>
    index < completed.index && entry.result === 'Completed' ? { ...entry, abandoned: true } : entry,
  )
}

/** The rollout on top leads to `target`, and has not failed. */
export function goesOn([top]: readonly HistoryEntry[], { fingerprint }: RevisionRef): boolean {
  return top?.fingerprint === fingerprint && (top.result === 'Running' || top.result === 'Completed')
}

const COMMITS_KEPT = 20

/** The history with this commit among those under which the rollout on top assigns its content; once it has completed, to nodes that join, say. */
function named(history: readonly HistoryEntry[], { revision }: RevisionRef): readonly HistoryEntry[] {
  const [top, ...older] = history
  if (top === undefined || commitsOf(top).includes(revision)) return history
  return [{ ...top, commits: [...(top.commits ?? []), revision].slice(-COMMITS_KEPT) }, ...older]
}

/**
 * Since when nodes may have this content from tries of it that came before the rollout on top, and did not complete: since something completed, for
 * earlier tries may have made room in the history. What was tried before that counts no more. Undefined: the history tells of no such try.
 */
export function triedSince(history: readonly HistoryEntry[], { fingerprint }: RevisionRef): Instant | undefined {
  const [, ...older] = history
  const completed = older.findIndex(({ result }) => result === 'Completed')
  const unfinished = completed < 0 ? older : older.slice(0, completed)
  const first = unfinished.findLast((entry) => entry.fingerprint === fingerprint)
  if (!first) return undefined
  const { startedAt } = first
  return Math.min(Date.parse(older[completed]?.endedAt ?? startedAt), Date.parse(startedAt))
}

/** Under which a rollout assigned its content. */
export function commitsOf({ revision, commits = [] }: HistoryEntry): readonly string[] {
  return [revision, ...commits]
}

/** The history with so many failures seen in the rollout on top; undefined when it has seen as many before, or leads elsewhere. */
export function withFailures(
  history: readonly HistoryEntry[],
  { target, failures }: { readonly target: RevisionRef; readonly failures: number },
): readonly HistoryEntry[] | undefined {
  const [top] = history
  if (top?.fingerprint !== target.fingerprint || failures <= (top.failures ?? 0)) return undefined
  return [{ ...top, failures }, ...history.slice(1)]
}

/** How a rollout ended. */
export interface Ending {
  readonly result: Exclude<HistoryEntry['result'], 'Running'>
  readonly at: Instant
  readonly message?: string
}

/** Ends the rollout on top, if it still goes. One that a clock which was ahead has stamped ends no earlier than it began. */
export function endRollout(history: readonly HistoryEntry[], { result, at, message }: Ending): readonly HistoryEntry[] {
  const [top, ...older] = history
  if (top?.result !== 'Running') return history
  const { losses: _losses, commits, ...entry } = top
  const endedAt = stamp(Math.max(at, Date.parse(entry.startedAt) || at))
  const named = result === 'Completed' && commits && { commits }
  return [{ ...entry, ...named, endedAt, result, ...(message !== undefined && { message }) }, ...older]
}

/**
 * A rollout that starts, or was retried, further ahead than work may take was stamped by a clock that has been put back since: what fails would be
 * tried again without end. One that is a little ahead is of a leader whose clock was: what that had assigned before is not of this rollout.
 */
function repaired(
  history: readonly HistoryEntry[],
  by: { readonly now: Instant; readonly longest: number },
): readonly HistoryEntry[] {
  const [top, ...older] = history
  if (!top) return history
  const isWrong = (at: string | undefined): boolean => at !== undefined && isFromAhead(Date.parse(at), by)
  if (!isWrong(top.startedAt) && !isWrong(top.retriedAt)) return history
  const entry = isWrong(top.startedAt) ? { ...top, startedAt: stamp(by.now) } : top
  return [isWrong(top.retriedAt) ? { ...entry, retriedAt: stamp(by.now) } : entry, ...older]
}

/** What belongs to the rollout on top goes along when that is stamped again. */
export function restamped(memory: Memory, startedAt: string | undefined): Memory {
  const { promotion, gates, history } = memory
  const before = history[0]?.startedAt
  if (before === startedAt || startedAt === undefined) return memory
  return {
    ...memory,
    ...(promotion?.rollout === before && promotion && { promotion: { ...promotion, rollout: startedAt } }),
    ...(gates && { gates: gates.map((gate) => (gate.rollout === before ? { ...gate, rollout: startedAt } : gate)) }),
  }
}
