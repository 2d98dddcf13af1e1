import type { ControlRecord, HistoryEntry, NodePoolStatus } from '../../protocol/node-pool.ts'
import { describeControl } from '../describe-control.ts'
import { cut, lasting, moment } from '../moments.ts'
import { folded, tableLines } from '../paint.ts'
import { printable } from '../printable.ts'

/** One roll-out of a pool, and what people did until the next one. */
export interface PoolRun extends HistoryEntry {
  /** Milliseconds; until now while it goes on. */
  readonly took: number
  readonly controls: readonly ControlRecord[]
}

const COLUMNS = 100
const HEADER = ['STARTED', 'ENDED', 'TOOK', 'RESULT', 'COMMIT', 'BY', 'SUBJECT']

/** Newest first. */
export function poolRuns({ history = [], controls = [] }: Partial<NodePoolStatus>, now: number): PoolRun[] {
  return history.map((entry, index) => {
    const from = Date.parse(entry.startedAt)
    const until = index === 0 ? Number.POSITIVE_INFINITY : Date.parse(history[index - 1]?.startedAt ?? '')
    const own = controls.filter(({ at }) => Date.parse(at) >= from && Date.parse(at) < until)
    return { ...entry, took: (entry.endedAt === undefined ? now : Date.parse(entry.endedAt)) - from, controls: own }
  })
}

/** At most a hundred columns wide; below each run why it failed, and what people did. */
export function poolHistoryLines(runs: readonly PoolRun[]): string[] {
  if (runs.length === 0) return ['no roll-out has begun yet']
  const [header = '', ...rows] = tableLines([HEADER, ...runs.map(rowOf)])
  return [header, ...runs.flatMap((run, index) => [rows[index] ?? '', ...detailsOf(run)])]
}

function rowOf({ startedAt, endedAt, took, result, revision, author = '', subject = '' }: PoolRun): string[] {
  const ended = endedAt === undefined ? '' : moment(endedAt)
  const cells = [moment(startedAt), ended, lasting(took), result, revision.slice(0, 7), cut(author, 12), cut(subject, 21)]
  return cells.map(printable)
}

function detailsOf({ message, controls }: PoolRun): string[] {
  const failed = message === undefined ? [] : [`  failed on ${printable(message)}`]
  return [...failed, ...controls.map((record) => `  ${describeControl(record)}`)].map((line) =>
    folded(line, { columns: COLUMNS, by: 2 }),
  )
}
