import type { FailedNode, NodePoolStatus, RevisionRef } from '../../protocol/node-pool.ts'

export interface RevertPool {
  readonly name: string
  readonly uid: string
  readonly status: Partial<NodePoolStatus>
}

/** A pool whose newest content failed there. */
export interface FailedPool {
  readonly pool: RevertPool
  /** What failed. */
  readonly failed: RevisionRef
  /** What the pool completed before. */
  readonly stable: RevisionRef
  /** Of the run that failed. */
  readonly message: string
  /** The pool returns to what it completed; otherwise it stops where it is. */
  readonly goesBack: boolean
  readonly nodes: readonly FailedNode[]
}

/**
 * Pure. Pools that have given up on what the newest commit says of them, by the revision that failed. Undefined content: the newest commit
 * has no such pool, or it is not accepted.
 */
export function failedPools(
  pools: Iterable<RevertPool>,
  contentOf: (pool: string) => string | undefined,
): ReadonlyMap<string, readonly FailedPool[]> {
  const found = [...pools].flatMap((pool) => failureOf(pool, contentOf(pool.name)))
  return Map.groupBy(found, ({ failed }) => failed.revision)
}

function failureOf(pool: RevertPool, content: string | undefined): readonly FailedPool[] {
  const { rejected = [], history = [], stable, failed: nodes = [] } = pool.status
  const failed = rejected.find(({ fingerprint }) => fingerprint === content)
  if (failed === undefined || stable === undefined || stable.fingerprint === failed.fingerprint) return []
  const run = history.find(({ fingerprint, message }) => fingerprint === content && message !== undefined)
  return [{ pool, failed, stable, message: run?.message ?? 'nodes failed', goesBack: run?.result === 'RolledBack', nodes }]
}

/** Revisions that failed in some pool once. */
export function everRejected(pools: Iterable<RevertPool>): ReadonlySet<string> {
  return new Set([...pools].flatMap(({ status }) => (status.rejected ?? []).map(({ revision }) => revision)))
}

/** All pools run what the newest commit says. */
export function allReady(pools: Iterable<RevertPool>): boolean {
  return [...pools].every(({ status }) => status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'))
}
