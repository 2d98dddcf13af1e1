import type { GateStatus, HistoryEntry, NodePoolStatus } from '../../protocol/node-pool.ts'
import { commitOf } from '../../protocol/revision-id.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import { rootSpanId, type Span, spanIdOf, traceIdOf } from './span.ts'

export interface TracedPool {
  readonly name: string
  readonly uid: string
  readonly status: Partial<NodePoolStatus>
}

const FAILED: ReadonlySet<string> = new Set(['Halted', 'RolledBack'])

/** Of each rollout that has ended. */
export function rolloutSpans(pool: TracedPool): readonly Span[] {
  return (pool.status.history ?? []).flatMap((entry) => {
    const { startedAt, endedAt, result, message, revision, subject, author } = entry
    if (endedAt === undefined) return []
    const traceId = traceIdOf(pool, entry)
    return [
      {
        ...{ traceId, spanId: rootSpanId(traceId), name: `rollout ${pool.name}` },
        ...{ start: Date.parse(startedAt), end: Date.parse(endedAt) },
        attributes: {
          'nodewave.pool': pool.name,
          'nodewave.revision': revision,
          'nodewave.result': result,
          'vcs.ref.head.revision': commitOf(revision),
          ...(subject !== undefined && { 'nodewave.subject': subject }),
          ...(author !== undefined && { 'nodewave.author': author }),
        },
        ...(FAILED.has(result) && { error: message ?? result }),
      },
    ]
  })
}

/** Of each gate that has passed or failed. */
export function gateSpans(pool: TracedPool): readonly Span[] {
  const { gates = [], history = [] } = pool.status
  return gates.flatMap((gate) => {
    const run = history.find((entry) => isRunOf(entry, gate))
    if (run === undefined || (gate.state !== 'Passed' && gate.state !== 'Failed')) return []
    const traceId = traceIdOf(pool, run)
    const { name, wave, state, since, askedAt = since, message } = gate
    return [
      {
        ...{ traceId, spanId: spanIdOf(traceId, 'gate', wave, name, state), parentSpanId: rootSpanId(traceId) },
        ...{ name: `gate ${name}`, start: Date.parse(since), end: Math.max(Date.parse(since), Date.parse(askedAt)) },
        attributes: { 'nodewave.pool': pool.name, 'nodewave.wave': wave, 'nodewave.gate': name, 'nodewave.result': state },
        ...(state === 'Failed' && { error: message ?? 'the gate failed' }),
      },
    ]
  })
}

function isRunOf({ startedAt, revision }: HistoryEntry, gate: GateStatus): boolean {
  return startedAt === gate.rollout && revision === gate.revision
}

/** A wave that is open, as it was seen to open. */
export interface OpenWave {
  readonly traceId: string
  readonly index: number
  readonly name: string
  readonly since: Instant
}

export function waveSpanId({ traceId, index }: Pick<OpenWave, 'traceId' | 'index'>): string {
  return spanIdOf(traceId, 'wave', String(index))
}

export function waveSpan(pool: TracedPool, wave: OpenWave, end: Instant): Span {
  const { traceId, index, name, since: start } = wave
  return {
    ...{ traceId, spanId: waveSpanId(wave), parentSpanId: rootSpanId(traceId), name: `wave ${name}` },
    ...{ start, end: Math.max(start, end) },
    attributes: { 'nodewave.pool': pool.name, 'nodewave.wave': name, 'nodewave.wave.index': index },
  }
}
