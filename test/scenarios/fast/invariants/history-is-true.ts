import type { HistoryEntry } from '../../../../src/protocol/node-pool.ts'
import type { Invariant } from '../invariants.ts'
import { type Decided, decidedPools } from './steps.ts'

/** What people read after an incident. */
export const historyIsTrue: Invariant = {
  claim:
    'the history has one run for each content that the pool went for, in order, all of them ended but the one that goes on, and what completed last is stable',
  ofDecision: (observed) => decidedPools(observed).every(tellsTheTruth),
}

function tellsTheTruth({ decision: { status } }: Decided): boolean {
  const [top, ...older] = status.history
  if (!top) return true
  return (
    older.every(hasEnded) &&
    status.history.every((run, i) => isInOrder(run, status.history[i + 1])) &&
    (top.result !== 'Running' || top.fingerprint === status.target?.fingerprint) &&
    (top.result !== 'Completed' || top.fingerprint === status.stable?.fingerprint)
  )
}

const ended = new WeakSet<HistoryEntry>()

/** Asked of the same entries in each pass. */
function hasEnded(run: HistoryEntry): boolean {
  if (ended.has(run)) return true
  const { result, startedAt, endedAt } = run
  if (result === 'Running' || endedAt === undefined) return false
  const isOver = Number.isFinite(Date.parse(endedAt) - Date.parse(startedAt))
  if (isOver) ended.add(run)
  return isOver
}

/** The same content again is another run only after the one before it came to an end of its own. */
function isInOrder(run: HistoryEntry, before: HistoryEntry | undefined): boolean {
  return before === undefined || before.fingerprint !== run.fingerprint || before.result !== 'Running'
}
