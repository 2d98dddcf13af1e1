import type { NodePoolStatus } from '../../protocol/node-pool.ts'

export interface StatusContext {
  readonly generation: number
  /** The newest commit of the branch, accepted or not. */
  readonly observedRevision: string | undefined
  readonly acceptedRevision: string
}

/** A decided status as it is written: with what only the shell knows. */
export function completeStatus(
  decided: NodePoolStatus,
  { generation, observedRevision, acceptedRevision }: StatusContext,
): NodePoolStatus {
  const { target, wave, nodes, conditions } = decided
  return asStored({
    ...decided,
    observedGeneration: generation,
    ...(observedRevision !== undefined && { observedRevision }),
    acceptedRevision,
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

/**
 * As an API server stores it: without what is undefined, and texts that were cut in the middle of an emoji are mended. Otherwise what it has
 * would never be what was meant.
 */
export function asStored<T>(value: T): T
export function asStored(value: unknown): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((entry) => asStored(entry))
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [name, asStored(member)]))
}

/**
 * What later decisions build on, or people are waiting for. It is written at once; counts, and the texts that tell of them, may
 * come a little later.
 */
export function essence(status: Partial<NodePoolStatus>): unknown {
  const { nodes, summary, conditions = [], ...rest } = status
  return { ...rest, conditions: conditions.map(({ message, ...condition }) => condition) }
}
