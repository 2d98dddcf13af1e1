import { parseAgentStatus } from '../../protocol/agent-status.ts'
import { parseDesiredConfig } from '../../protocol/desired-config.ts'
import type { Names } from '../../protocol/names.ts'
import { type NodeRun, parseNodeHistory } from '../../protocol/node-history.ts'
import { shortRevision } from '../../protocol/revision-id.ts'
import { cut, formatTime } from '../format-time.ts'
import { tableLines } from '../paint.ts'
import { printable } from '../printable.ts'

/** What a node was brought to, and how it went; without `until`, what it is at now. */
export type NodeRunView = Omit<NodeRun, 'until'> & { readonly until?: string }

type Annotations = Readonly<Record<string, string>>

/** Newest first: what it is assigned now, and the last eight before. */
export function nodeRuns(annotations: Annotations, names: Names): NodeRunView[] {
  return [...presentRun(annotations, names), ...parseNodeHistory(annotations[names.history])]
}

function presentRun(annotations: Annotations, names: Names): NodeRunView[] {
  const text = annotations[names.desiredConfig]
  if (text === undefined) return []
  const status = parseAgentStatus(annotations[names.status])
  const { REVISION, ASSIGNED, DIGEST } = readable(text)
  const report = status && (status.digest ?? status.assigned) === DIGEST ? status : undefined
  return [
    {
      revision: (REVISION && shortRevision(REVISION, 12)) ?? 'by hand',
      ...(ASSIGNED !== undefined && { from: ASSIGNED }),
      ...(report && { phase: report.phase, done: report.since }),
      ...(report?.kubelet !== undefined && { version: report.kubelet }),
      ...(report?.error && { reason: report.error.reason }),
    },
  ]
}

function readable(text: string): Partial<ReturnType<typeof parseDesiredConfig>> {
  try {
    return parseDesiredConfig(text)
  } catch {
    return {}
  }
}

const HEADER = ['ASSIGNED', 'UNTIL', 'PHASE', 'KUBELET', 'COMMIT', 'REASON']

/** At most a hundred columns wide. */
export function nodeHistoryLines(runs: readonly NodeRunView[]): string[] {
  if (runs.length === 0) return ['no configuration was ever assigned to this node']
  return tableLines([HEADER, ...runs.map(rowOf)])
}

/** What a node was brought to before, as one line. */
export function nodeRunText(run: NodeRunView): string {
  const [from, until, ...rest] = rowOf(run)
  return [`${from} to ${until}`, ...rest].filter((cell) => cell !== '').join(', ')
}

function rowOf({ from = '', until, phase, version = '', revision, reason = '' }: NodeRunView): string[] {
  const cells = [
    formatTime(from),
    until === undefined ? 'now' : formatTime(until),
    phase ?? '',
    cut(version, 14),
    revision,
    cut(reason, 22),
  ]
  return cells.map(printable)
}
