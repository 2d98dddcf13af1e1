import { goesBack, isReadable } from '../ceilings/going-back.ts'
import { policyViolation } from '../ceilings/policy-violation.ts'
import type { Blocker } from '../model/blocker.ts'
import type { PoolContext } from '../model/pool-state.ts'

/** A pool that asks for more than an administrator allows changes no node, but for going back, which it does within the limits. */
export function exceededCeiling({ pool, rollout }: PoolContext): Blocker | undefined {
  const { ceiling } = pool
  if (ceiling === undefined) return undefined
  const isSpared = isReadable(ceiling) && goesBack(pool, rollout)
  const message = (isSpared ? undefined : policyViolation(pool, ceiling)) ?? contentViolation(rollout.target.wanted)
  return message === undefined ? undefined : { reason: 'CeilingExceeded', message, stalls: true }
}

function contentViolation(wanted: PoolContext['rollout']['target']['wanted']): string | undefined {
  for (const [node, target] of wanted)
    if (target.kind === 'problem' && target.reason === 'CeilingExceeded') return `node "${node}": ${target.message}`
  return undefined
}
