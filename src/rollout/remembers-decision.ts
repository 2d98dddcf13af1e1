import type { PoolCondition } from '../protocol/node-pool.ts'
import { isSameData } from '../protocol/same-data.ts'
import { spentControls } from './controls/spent-controls.ts'
import type { Decision } from './model/decision.ts'
import type { Memory, PoolSnapshot } from './model/snapshot.ts'

/**
 * Whether the pool is as it was when it was decided upon, but that it now remembers the status of that decision. Then the decision
 * stands: its status given back as memory, it is the same again. A control that the status observed remains to be cleared.
 */
export function remembersDecision(
  pool: PoolSnapshot,
  { before, decision }: { readonly before: PoolSnapshot; readonly decision: Decision },
): boolean {
  return isOtherwiseSame(pool, before) && isRemembered(decision.status, pool.memory) && spentControls(pool).length === 0
}

function isOtherwiseSame(pool: PoolSnapshot, before: PoolSnapshot): boolean {
  const parts = Object.keys(pool) as (keyof PoolSnapshot)[]
  return parts.length === Object.keys(before).length && parts.every((part) => part === 'memory' || pool[part] === before[part])
}

function isRemembered(status: Memory, { conditions, ...memory }: Memory): boolean {
  return PARTS.every((part) => isSameData(status[part], memory[part])) && isSameData(status.conditions, conditions.map(asDecided))
}

/** As it was before it was written with the generation of the object. */
function asDecided({ type, status, reason, message, lastTransitionTime }: PoolCondition): PoolCondition {
  return { type, status, reason, message, lastTransitionTime }
}

/** Every part of a memory but its conditions: one that is missing does not compile. */
const PARTS = Object.keys({
  target: null,
  stable: null,
  wave: null,
  failed: null,
  rejected: null,
  observedControls: null,
  rollback: null,
  promotion: null,
  fleetRetry: null,
  held: null,
  reboots: null,
  controls: null,
  gates: null,
  history: null,
} satisfies Record<keyof Omit<Memory, 'conditions'>, null>) as readonly (keyof Omit<Memory, 'conditions'>)[]
