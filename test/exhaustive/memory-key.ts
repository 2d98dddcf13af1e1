import type { HistoryEntry } from '../../src/protocol/node-pool.ts'
import type { Instant } from '../../src/rollout/model/instant.ts'
import type { Memory } from '../../src/rollout/model/snapshot.ts'

/** What no decision reads, or what only tells people. Members of a status, not of what these contain. */
const TOLD_ONLY: ReadonlySet<string> = new Set([
  'conditions',
  'controls',
  'failed',
  'held',
  'nodes',
  'rollbackTo',
  'summary',
  'observedRevision',
])
const STAMP = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g

export interface Template {
  /** Of the text between the instants. */
  readonly id: number
  readonly instants: readonly Instant[]
  /** When the rollout on top began. Of each node it is read whether it got something since. None: it never does. */
  readonly began: Instant
  /** When a machine was gone that had failed since the rollout on top completed; as above. */
  readonly gone: Instant | undefined
  /** When an operator had the nodes that failed try its content once more; as above. */
  readonly retried: Instant | undefined
}

const known = new WeakMap<Memory, Template>()
const ids = new Map<string, number>()

/** Whether no decision would differ: what only tells people may. */
export function isSameMemory(a: Memory, b: Memory): boolean {
  const [one, other] = [templateOf(a), templateOf(b)]
  return one.id === other.id && isSameTime(one, other)
}

function isSameTime(a: Template, b: Template): boolean {
  const isSameRun = a.began === b.began && a.gone === b.gone && a.retried === b.retried
  return isSameRun && a.instants.every((at, index) => at === b.instants[index])
}

/** Many states share a memory. */
export function templateOf(memory: Memory): Template {
  const found = known.get(memory)
  if (found) return found
  const text = JSON.stringify(Object.entries(whatIsRead(memory)).filter(([name]) => !TOLD_ONLY.has(name)))
  const instants = (text.match(STAMP) ?? []).map((stamp) => Date.parse(stamp))
  const rest = text.replace(STAMP, '')
  const id = ids.get(rest) ?? ids.size
  ids.set(rest, id)
  const template = { id, instants, ...instantsOf(memory) }
  known.set(memory, template)
  return template
}

function instantsOf({ history: [top] }: Memory): Pick<Template, 'began' | 'gone' | 'retried'> {
  const [began, gone, retried] = [top?.startedAt, top?.laterFailures?.since, top?.retriedAt].map((stamp) =>
    stamp === undefined ? undefined : Date.parse(stamp),
  )
  return { began: began ?? Number.POSITIVE_INFINITY, gone, retried }
}

/** Rejected contents are a set; a promotion is of the rollout on top, or of one that is over, or of the next one. */
function whatIsRead({ history, rejected, promotion, rollback, reboots, wave, ...memory }: Memory): object {
  const [top] = history
  const bound = promotion?.rollout === undefined ? 'next' : promotion.rollout === top?.startedAt ? 'top' : 'over'
  return {
    ...memory,
    wave: wave && waveKey(wave),
    history: readHistory(history),
    rejected: rejected.toSorted((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1)),
    promotion: promotion && { ...promotion, rollout: bound },
    rollback: rollback && { to: rollback.to, from: rollback.from },
    // Whether a request is recorded is read by when it was made, and not by when it was ordered.
    reboots: reboots?.map(({ since: _, ...reboot }) => reboot),
  }
}

/** When it had soaked is read after a restart, an outage or a jump of the clock, and no controller of these fleets says that it had one. */
function waveKey({ soakedAt: _, ...wave }: NonNullable<Memory['wave']>): object {
  return wave
}

/**
 * What is read of rollouts that are over: which contents the pool went for last, and in which order contents completed last, since a
 * return to one abandons those that completed after it.
 */
function readHistory([top, ...older]: Memory['history']): readonly object[] {
  if (!top) return []
  const { revision, commits, fingerprint, result, failures, laterFailures, losses, abandoned } = top
  const { since, ...later } = laterFailures ?? {}
  const before = [...Map.groupBy(older, (entry) => entry.fingerprint)].map(([content, entries]) => ({
    content,
    revision: content === fingerprint ? '' : entries[0]?.revision,
  }))
  return [
    { revision, commits, fingerprint, result, failures, losses, abandoned, ...(laterFailures && { later }) },
    before,
    completions(older),
  ]
}

/** The last of each content. */
function completions(history: Memory['history']): readonly object[] {
  const completed = Map.groupBy(
    history.filter(({ result }) => result === 'Completed'),
    ({ fingerprint }) => fingerprint,
  )
  return [...completed].map(([content, [last]]) => ({ content, abandoned: last?.abandoned }))
}

/** What a stopped fleet counts: the failures of the last rollout to each content, and of those before it until one did not fail. */
export function failuresOf({ history }: Memory): string {
  const contents = [...Map.groupBy(history, ({ fingerprint }) => fingerprint).values()]
  return contents.map(([latest, ...older]) => `${latest && isFailed(latest)}${countOf(latest, older)}`).join()
}

function countOf(latest: HistoryEntry | undefined, older: readonly HistoryEntry[]): number {
  const ended = older.findIndex((entry) => !isFailed(entry))
  const tried = [...(latest ? [latest] : []), ...older.slice(0, ended < 0 ? older.length : ended)]
  return tried.reduce((sum, { failures = 0 }) => sum + failures, 0)
}

function isFailed({ result }: HistoryEntry): boolean {
  return result === 'Halted' || result === 'RolledBack'
}
