import type { Action } from '../model/decision.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'

/**
 * Removes controls that count once, and a rollback that came to its end. Only once the status says that they were observed: removed
 * before, they would be lost with the process.
 */
export function spentControls({ memory, controls }: PoolSnapshot): readonly Action[] {
  const spent = memory.rollback ? (['retry'] as const) : (['retry', 'rollback'] as const)
  return spent.flatMap((control): Action[] => {
    const value = controls[control]
    return value !== undefined && value === memory.observedControls?.[control] ? [{ kind: 'clearControl', control, value }] : []
  })
}
