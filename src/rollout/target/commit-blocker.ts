import type { Blocker } from '../model/blocker.ts'
import type { Instant } from '../model/instant.ts'
import { isRejected } from '../model/remembered-revision.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'
import { unmetDependency } from './dependencies.ts'
import { stoppedBefore } from './fleet-stop.ts'
import { isTraced } from './trace-start.ts'
import { skewedVersion, unwantedDowngrade } from './version-blockers.ts'

/**
 * Each looks at one reason why a pool may not begin with the newest commit yet; the first that holds is reported. Until then the pool
 * stays with the target that it has, and ends what it began.
 */
const RULES: readonly ((pool: PoolSnapshot) => Blocker | undefined)[] = [
  stoppedBefore,
  skewedVersion,
  unwantedDowngrade,
  unmetDependency,
]

/** Undefined once the pool has begun: what comes up later is no reason to leave it half way. */
export function commitBlocker(pool: PoolSnapshot, now: Instant): Blocker | undefined {
  const { memory, head } = pool
  if (hasBegun(pool, now) || isRejected(memory, head)) return undefined
  // A person has the pool elsewhere.
  if (memory.rollback) return undefined
  for (const rule of RULES) {
    const blocker = rule(pool)
    if (blocker) return blocker
  }
  return undefined
}

/** As the status tells. Where that, or a part of it, was lost, nodes tell: what failed on them would not count if the pool had to begin. */
function hasBegun(pool: PoolSnapshot, now: Instant): boolean {
  const { memory, head } = pool
  return memory.target?.fingerprint === head.fingerprint || isTraced(pool, { target: head, now })
}
