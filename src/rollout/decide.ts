import { assessPool } from './assess-pool.ts'
import { byHandChanges } from './controls/by-hand.ts'
import { evictions, remarks, uncordons } from './drain/actions.ts'
import { gateQuestions } from './gates/gates.ts'
import type { Action, Decision } from './model/decision.ts'
import type { Instant } from './model/instant.ts'
import type { PoolState } from './model/pool-state.ts'
import type { PoolSnapshot } from './model/snapshot.ts'
import { advance } from './progress/advance.ts'
import { selectNodes } from './selection/select-nodes.ts'
import { eventsBetween } from './status/pool-events.ts'
import { statusOf } from './status/status.ts'
import { wakeAt } from './wake.ts'

/**
 * What to do about a pool now. The same snapshot gives the same decision; its status given back as memory, it is the
 * same again.
 */
export function decide(pool: PoolSnapshot, now: Instant): Decision {
  const poolState = settle(pool, now)
  const selection = selectNodes(poolState)
  const status = statusOf(poolState, selection)
  const wake = wakeAt(poolState, selection)
  return {
    actions: [
      ...uncordons(poolState),
      ...remarks(poolState),
      ...selection.selected,
      ...evictions(poolState),
      ...gateQuestions(poolState),
      ...clearControls(pool),
      ...byHandChanges(pool),
    ],
    events: eventsBetween(pool.memory, status),
    status,
    ...(wake !== undefined && { wakeAt: wake }),
  }
}

/** Looks again for as long as the run comes a step further: a rejection changes the target, a new wave whom to take. */
function settle(pool: PoolSnapshot, now: Instant): PoolState {
  const poolState = assessPool(pool, now)
  const memory = advance(poolState)
  return memory ? settle({ ...pool, memory }, now) : poolState
}

/**
 * Takes away what counts once, and a rollback that came to its end. Only once the status says that it was heeded: removed
 * before, it would be lost with the process.
 */
function clearControls({ memory, controls }: PoolSnapshot): Action[] {
  const spent = memory.rollback ? (['retry'] as const) : (['retry', 'rollback'] as const)
  return spent.flatMap((control): Action[] => {
    const value = controls[control]
    return value !== undefined && value === memory.observedControls?.[control] ? [{ kind: 'clearControl', control, value }] : []
  })
}
