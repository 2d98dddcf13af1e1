import { byText } from '../../protocol/by-text.ts'
import type { HistoryEntry } from '../../protocol/node-pool.ts'
import { shortRevision } from '../../protocol/revision-id.ts'
import type { Blocker } from '../model/blocker.ts'
import type { Share } from '../model/policy.ts'
import type { PoolContext } from '../model/pool-state.ts'
import { isProven } from '../model/remembered-revision.ts'
import { resolveShare } from '../model/share.ts'
import type { Memory, PoolSnapshot } from '../model/snapshot.ts'
import { listNames, shortName } from '../model/text.ts'

export interface Judged {
  readonly pools: readonly PoolSnapshot[]
  readonly memoryOf: (pool: PoolSnapshot) => FailureMemory
}

/** What a pool remembers of what failed there. */
export type FailureMemory = Partial<Pick<Memory, 'failed' | 'fleetRetry' | 'history'>>

/**
 * Why the newest commit is stopped everywhere, if it is: over all pools together more nodes failed at it than the fleet bears. Each
 * pool alone may have borne its own.
 */
export function fleetStop(maxFailures: Share, { pools, memoryOf }: Judged): string | undefined {
  const [first] = pools
  if (!first) return undefined
  const counts = pools
    .map((pool) => ({ pool, failures: failuresAt(pool, memoryOf(pool)) }))
    .filter(({ failures }) => failures > 0)
    .sort(byText(({ pool }) => pool.name))
  const failures = counts.reduce((sum, count) => sum + count.failures, 0)
  const total = pools.reduce((sum, { nodes }) => sum + nodes.length, 0)
  if (failures <= resolveShare(maxFailures, total)) return undefined
  const where = counts.map((count) => `${count.failures} in "${count.pool.name}"`).join(', ')
  const failed = counts.flatMap(({ pool }) => (memoryOf(pool).failed ?? []).map(({ node }) => node)).sort()
  const names = failed.length > 0 ? ` (${listNames(failed)})` : ''
  const what = failures === 1 ? '1 failure of a node' : `${failures} failures of nodes`
  return `${what} in the fleet at ${shortName(first.head)}: ${where}${names}`
}

/**
 * A pool that has begun with it goes no further. One that goes back does so, also by a revert: stopped, it would keep the content that people
 * flee from. One that has completed it stays.
 */
export function stoppedFleet({ pool, rollout }: PoolContext): Blocker | undefined {
  if (rollout.state !== 'InProgress' || rollout.proven) return undefined
  return rollout.target.fingerprint === pool.head.fingerprint ? stop(pool) : undefined
}

/** A pool that has not begun with it stays with what it has. */
export function stoppedBefore(pool: PoolSnapshot): Blocker | undefined {
  return isProven(pool.memory, pool.head) ? undefined : stop(pool)
}

function stop({ fleet, head }: PoolSnapshot): Blocker | undefined {
  if (fleet?.stopped === undefined) return undefined
  const remedy = `push a fix or a revert, or continue with: nodewave retry --all --revision ${shortRevision(head.revision, 12)}`
  return {
    reason: 'FleetStopped',
    message: `${fleet.stopped.why}; ${remedy}`,
    stalls: true,
    sparesJoining: true,
    stopsDrains: true,
  }
}

/**
 * At the content that the newest commit renders to, whatever commit brought it. A retry begins another rollout, and what failed in
 * the one before still tells of the content; what it did before another content took its place does not. So a node that fails again after a
 * retry counts again.
 */
function failuresAt({ head }: PoolSnapshot, { history = [], fleetRetry }: FailureMemory): number {
  if (fleetRetry?.fingerprint === head.fingerprint) return 0
  const [latest, ...older] = history.filter(({ fingerprint }) => fingerprint === head.fingerprint)
  const ended = older.findIndex(({ result }) => result !== 'Halted' && result !== 'RolledBack')
  const tried = [...(latest ? [latest] : []), ...older.slice(0, ended < 0 ? older.length : ended)]
  return tried.reduce((sum, entry) => sum + mostFailed(entry), 0)
}

/** At one time in the rollout, or since it completed. */
function mostFailed({ failures = 0, laterFailures }: HistoryEntry): number {
  return laterFailures ? Math.max(failures, laterFailures.nodes.length + (laterFailures.replaced ?? 0)) : failures
}
