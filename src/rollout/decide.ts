import { lookAt } from './assess-pool.ts'
import { evictions, remarks, uncordons } from './drain/actions.ts'
import { gateQuestions } from './gates/gates.ts'
import type { Action, Decision } from './model/decision.ts'
import type { Instant } from './model/instant.ts'
import type { Picture } from './model/pool-state.ts'
import type { PoolSnapshot } from './model/snapshot.ts'
import { advance } from './progress/advance.ts'
import { takeNodes } from './selection/select-nodes.ts'
import { noticesBetween } from './status/pool-events.ts'
import { statusOf } from './status/status.ts'
import { wakeAt } from './wake.ts'

/**
 * What to do about a pool now. The same snapshot gives the same decision; its status given back as memory, it is the
 * same again.
 */
export function decide(pool: PoolSnapshot, now: Instant): Decision {
  const picture = settle(pool, now)
  const taking = takeNodes(picture)
  const status = statusOf(picture, taking)
  const wake = wakeAt(picture, taking)
  return {
    actions: [
      ...uncordons(picture),
      ...remarks(picture),
      ...taking.taken,
      ...evictions(picture),
      ...gateQuestions(picture),
      ...clearControls(pool),
    ],
    notices: noticesBetween(pool.memory, status),
    status,
    ...(wake !== undefined && { wakeAt: wake }),
  }
}

/** Looks again for as long as the run comes a step further: a rejection changes the target, a new wave whom to take. */
function settle(pool: PoolSnapshot, now: Instant): Picture {
  const picture = lookAt(pool, now)
  const memory = advance(picture)
  return memory ? settle({ ...pool, memory }, now) : picture
}

/**
 * Takes away what counts once, and a roll-back that came to its end. Only once the status says that it was heeded: removed
 * before, it would be lost with the process.
 */
function clearControls({ memory, controls }: PoolSnapshot): Action[] {
  const spent = memory.rollback ? (['retry'] as const) : (['retry', 'rollback'] as const)
  return spent.flatMap((control): Action[] => {
    const value = controls[control]
    return value !== undefined && value === memory.heeded?.[control] ? [{ kind: 'clearControl', control, value }] : []
  })
}
