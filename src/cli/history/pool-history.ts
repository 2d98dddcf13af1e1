import type { ControlRecord, HistoryEntry, NodePoolStatus } from '../../protocol/node-pool.ts'
import type { CliIo } from '../cli-io.ts'
import { describeControl } from '../describe-control.ts'
import { cut, formatDuration, formatTime } from '../format-time.ts'
import { foldAt, folded, tableLines } from '../paint.ts'
import { printable } from '../printable.ts'

/** One rollout of a pool, and what people did until the next one. */
export interface PoolRun extends HistoryEntry {
  /** Milliseconds; until now while it goes on. */
  readonly took: number
  readonly controls: readonly ControlRecord[]
}

const HEADER = ['STARTED', 'TOOK', 'RESULT', 'COMMIT', 'BY', 'SUBJECT']
const SHORTEST_SUBJECT = 12

/** Where it is shown. */
export type Look = Pick<CliIo, 'columns' | 'isTTY'>

/** Newest first. */
export function poolRuns({ history = [], controls = [] }: Partial<NodePoolStatus>, now: number): PoolRun[] {
  return history.map((entry, index) => {
    const from = Date.parse(entry.startedAt)
    const until = index === 0 ? Number.POSITIVE_INFINITY : Date.parse(history[index - 1]?.startedAt ?? '')
    const own = controls.filter(({ at }) => Date.parse(at) >= from && Date.parse(at) < until)
    return { ...entry, took: (entry.endedAt === undefined ? now : Date.parse(entry.endedAt)) - from, controls: own }
  })
}

/** As wide as the terminal, and nothing cut where there is none; below each run why it failed, and what people did. */
export function poolHistoryLines(runs: readonly PoolRun[], look: Look): string[] {
  if (runs.length === 0) return ['no rollout has started yet']
  const [header = '', ...rows] = tableLines([HEADER, ...runs.map((run) => rowOf(run, look))])
  const width = Math.max(look.columns, header.length - (HEADER.at(-1)?.length ?? 0) + SHORTEST_SUBJECT)
  const shown = look.isTTY ? rows.map((row) => cut(row, width)) : rows
  return [header, ...runs.flatMap((run, index) => [shown[index] ?? '', ...detailsOf(run, look)])]
}

function rowOf({ startedAt, took, result, revision, author = '', subject = '' }: PoolRun, { isTTY }: Look): string[] {
  const by = isTTY ? cut(author, 12) : author
  return [formatTime(startedAt), formatDuration(took), result, revision.slice(0, 7), by, subject].map(printable)
}

function detailsOf({ message, controls }: PoolRun, look: Look): string[] {
  const failed = message === undefined ? [] : [`  failed on ${printable(message)}`]
  return [...failed, ...controls.map((record) => `  ${describeControl(record)}`)].map((line) =>
    folded(line, { columns: foldAt(look), by: 2 }),
  )
}
