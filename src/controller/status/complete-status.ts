import type { NodePoolStatus } from '../../protocol/node-pool.ts'

export interface StatusContext {
  readonly generation: number
  /** The newest commit of the branch, accepted or not. */
  readonly observedRevision: string | undefined
}

/** A decided status as it is written: with what only the shell knows. */
export function completeStatus(decided: NodePoolStatus, { generation, observedRevision }: StatusContext): NodePoolStatus {
  const { target, wave, nodes, conditions } = decided
  return wellFormed({
    ...decided,
    observedGeneration: generation,
    ...(observedRevision !== undefined && { observedRevision }),
    conditions: conditions.map((condition) => ({ ...condition, observedGeneration: generation })),
    summary: {
      revision: target?.revision.slice(0, 7) ?? '',
      wave: wave ? `${wave.index}/${wave.count}` : '',
      updated: `${nodes.current}/${nodes.total}`,
      ...pausedBy(decided),
    },
  })
}

/** A pool's own pause comes first, as in `nodewave status`. */
function pausedBy({ observedControls }: NodePoolStatus): { readonly paused?: 'Pool' | 'Fleet' } {
  if (observedControls?.paused !== undefined) return { paused: 'Pool' }
  return observedControls?.fleetPaused === undefined ? {} : { paused: 'Fleet' }
}

/** Texts that were cut in the middle of an emoji: an API server mends them as it stores them, and what it has would never be what was meant. */
function wellFormed<T>(value: T): T {
  const text = JSON.stringify(value)
  // Half a pair of surrogates is written as an escape.
  if (!text.includes('\\ud')) return JSON.parse(text) as T
  const mended = JSON.stringify(value, (_, member) => (typeof member === 'string' ? member.toWellFormed() : member))
  return JSON.parse(mended) as T
}

/**
 * What later decisions build on, or people are waiting for. It is written at once; counts, and the texts that tell of them, may
 * come a little later.
 */
export function essence(status: Partial<NodePoolStatus>): unknown {
  const { nodes, summary, conditions = [], ...rest } = status
  return { ...rest, conditions: conditions.map(({ message, ...condition }) => condition) }
}
