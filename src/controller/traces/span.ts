import { createHash } from 'node:crypto'
import type { HistoryEntry } from '../../protocol/node-pool.ts'
import type { Instant } from '../../rollout/model/instant.ts'

/** A stretch of time of a rollout, as OpenTelemetry has it. */
export interface Span {
  /** 32 hexadecimal digits; one for each rollout of a pool. */
  readonly traceId: string
  /** 16 hexadecimal digits; the same for the same stretch, whoever sends it. */
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly start: Instant
  readonly end: Instant
  readonly attributes: Readonly<Record<string, string | number>>
  /** Why it failed; absent: it did not. */
  readonly error?: string
}

const TRACE_DIGITS = 32
const SPAN_DIGITS = 16

/** A rollout of a pool is distinguished from every other one, also of the same commit. */
export function traceIdOf(pool: { readonly uid: string }, { revision, startedAt }: HistoryEntry): string {
  return hashOf([pool.uid, revision, startedAt]).slice(0, TRACE_DIGITS)
}

export function spanIdOf(traceId: string, ...parts: readonly string[]): string {
  return hashOf([traceId, ...parts]).slice(0, SPAN_DIGITS)
}

export function rootSpanId(traceId: string): string {
  return spanIdOf(traceId, 'rollout')
}

function hashOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
