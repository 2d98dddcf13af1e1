import type { ObservedControls } from '../../protocol/node-pool.ts'
import { denotes, isRejected } from '../model/remembered-revision.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'
import { shortName } from '../model/text.ts'
import type { ControlEffect, ControlRequest } from './control-effect.ts'
import { retryRejected } from './retry.ts'
import { beginRollback, endRollback } from './rollback.ts'

/** What each control does when it is written. */
export const ON_SET: Readonly<Record<keyof ObservedControls, (pool: PoolSnapshot, asking: ControlRequest) => ControlEffect>> = {
  fleetPaused: () => ({ action: 'PauseFleet', message: 'no new node starts in any pool; nodes that have started finish' }),
  paused: () => ({ action: 'Pause', message: 'no new node starts; nodes that have started finish' }),
  promoted: promote,
  retry: retryRejected,
  rollback: beginRollback,
  reconcileAt: () => ({ action: 'Reconcile', message: 'the repository is fetched' }),
}

/** What it does when it is taken back. The controller itself takes back those that count once. */
export const ON_REMOVED: Readonly<Partial<Record<keyof ObservedControls, (pool: PoolSnapshot) => ControlEffect | undefined>>> = {
  fleetPaused: () => ({ action: 'ResumeFleet', message: 'the fleet is resumed' }),
  paused: () => ({ action: 'Resume', message: 'the pool is resumed' }),
  rollback: endRollback,
}

function promote({ head, memory }: PoolSnapshot, { value }: ControlRequest): ControlEffect {
  const promoted = [head, ...(memory.target ? [memory.target] : [])].find((ref) => denotes(value, ref))
  const refused = { action: 'Promote', refused: true } as const
  if (!promoted) {
    const unknown = `neither the target nor the newest commit has this name; the newest is ${shortName(head)}`
    return { ...refused, message: `${unknown}; it counts if such a commit arrives` }
  }
  if (isRejected(memory, promoted))
    return { ...refused, message: `${shortName(promoted)} has failed: retry it, and promote it when it waits for that` }
  return { action: 'Promote', message: `${shortName(promoted)} is approved` }
}
