import { goesBack, isReadable } from '../ceilings/going-back.ts'
import { policyViolation } from '../ceilings/policy-violation.ts'
import { disruptionOf } from '../exposure/disruption.ts'
import { asksForMore } from '../model/agent-report.ts'
import type { Blocker } from '../model/blocker.ts'
import { disruptionViolation, selects } from '../model/ceiling.ts'
import type { Member, PoolContext, PoolState } from '../model/pool-state.ts'

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

/** What was rendered was compared with the limits; what the agent finds out on its host may be more. */
export function askedBeyondCeiling({ pool: { ceiling } }: PoolState): (member: Member) => Blocker | undefined {
  return (member) => {
    const { node, report, assigned } = member
    if (ceiling === undefined || !assigned || !asksForMore(node, report)) return undefined
    for (const rule of ceiling.rules) {
      const found = selects(rule, node) ? disruptionViolation(rule, disruptionOf(member)) : undefined
      if (found)
        return { reason: 'CeilingExceeded', message: `the agent of "${node.name}" asks for more: ${found}`, stalls: true }
    }
    return undefined
  }
}
