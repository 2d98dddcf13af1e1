import type { ObservedControls } from '../../protocol/node-pool.ts'
import type { RequestedBy } from '../../protocol/requested-by.ts'
import type { Instant } from '../model/instant.ts'
import type { Memory, PoolSnapshot } from '../model/snapshot.ts'
import type { ControlEffect } from './control-effect.ts'
import { ON_REMOVED, ON_SET } from './effects.ts'
import { observeHolds } from './hold.ts'
import { observeReboots } from './reboots.ts'
import { recorded } from './record.ts'
import { endOutrun } from './rollback.ts'

/** A retry before a promotion: together they are of the rollout that begins now. */
const CONTROLS = ['fleetPaused', 'paused', 'retry', 'promoted', 'rollback', 'reconcileAt'] as const

/**
 * What the pool remembers, brought up to what people ask for now. An annotation counts once, when it is new: what was observed is
 * remembered for as long as it stands, or a commit that fails again would be retried for ever.
 */
export function observeControls(pool: PoolSnapshot, now: Instant): Memory {
  const after = (memory: Memory): PoolSnapshot => ({ ...pool, memory })
  const observed = CONTROLS.reduce((memory, control) => observe(after(memory), { control, now }), pool.memory)
  return observeReboots(after(observeHolds(after(endOutrun(after(observed), now)), now)), now)
}

function observe(
  pool: PoolSnapshot,
  { control, now }: { readonly control: keyof ObservedControls; readonly now: Instant },
): Memory {
  const { memory } = pool
  const { value, by } = askedOf(pool, control)
  if (value === memory.observedControls?.[control]) return memory
  const effect = value === undefined ? ON_REMOVED[control]?.(pool) : ON_SET[control](pool, { value, now })
  const next = withObserved(effect?.memory ?? memory, { ...memory.observedControls, [control]: value })
  return effect ? recorded(next, { effect: withValue(effect, value), by, now }) : next
}

/** The fleet's pause is every pool's. */
function askedOf({ controls, fleet }: PoolSnapshot, control: keyof ObservedControls): Asked {
  if (control === 'fleetPaused') return { value: fleet?.paused, by: fleet?.pausedBy }
  return { value: controls[control], by: controls.by?.[control] }
}

interface Asked {
  readonly value: string | undefined
  readonly by: RequestedBy | undefined
}

function withValue(effect: ControlEffect, value: string | undefined): ControlEffect & { readonly value?: string } {
  return value === undefined || value === '' || effect.action === 'Reconcile' ? effect : { ...effect, value }
}

function withObserved(
  { observedControls: _, ...memory }: Memory,
  observedControls: { readonly [Control in keyof ObservedControls]?: string | undefined },
): Memory {
  const present = Object.entries(observedControls).filter(([, value]) => value !== undefined)
  return present.length === 0 ? memory : { ...memory, observedControls: Object.fromEntries(present) }
}
