import type { Action } from '../model/decision.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'
import { isSpent } from './promotion.ts'

type ClearControl = Extract<Action, { kind: 'clearControl' }>
type Standing = Pick<PoolSnapshot, 'memory' | 'controls' | 'head'>

/**
 * Removes controls that count once, and a rollback that came to its end. Only once the status says that they were observed: removed
 * before, they would be lost with the process.
 */
export function spentControls(pool: Standing): readonly ClearControl[] {
  const { memory, controls } = pool
  const spent = (['retry', 'rollback', 'promoted'] as const).filter((control) => isOver(control, pool))
  return spent.flatMap((control): ClearControl[] => {
    const value = controls[control]
    return value !== undefined && value === memory.observedControls?.[control] ? [{ kind: 'clearControl', control, value }] : []
  })
}

function isOver(control: 'retry' | 'rollback' | 'promoted', { memory, head }: Standing): boolean {
  if (control === 'rollback') return memory.rollback === undefined
  return control === 'retry' || isSpent(memory, head)
}
