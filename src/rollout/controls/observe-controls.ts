import type { ObservedControls } from '../../protocol/node-pool.ts'
import type { Instant } from '../model/instant.ts'
import { type Memory, type PoolSnapshot, withMemory } from '../model/snapshot.ts'
import type { ControlEffect } from './control-effect.ts'
import { ON_REMOVED, ON_SET } from './effects.ts'
import { observeHolds } from './hold.ts'
import { observeReboots } from './reboot-requests.ts'
import { recorded } from './record.ts'
import { endOutrun, withContentOfRollback } from './rollback.ts'

/** A retry before a promotion: together they are of the rollout that begins now. */
const CONTROLS = ['fleetPaused', 'paused', 'retry', 'promoted', 'rollback', 'reconcileAt'] as const

/**
 * What the pool remembers, brought up to what people ask for now. An annotation counts once, when it is new: what was observed is
 * remembered for as long as it stands, or a commit that fails again would be retried for ever.
 */
export function observeControls(pool: PoolSnapshot, now: Instant): Memory {
  const after = (memory: Memory): PoolSnapshot => withMemory(pool, memory)
  let observed = withContentOfRollback(pool)
  for (const control of CONTROLS)
    if (askedOf(pool, control) !== observed.observedControls?.[control]) observed = observe(after(observed), { control, now })
  return observeReboots(after(observeHolds(after(endOutrun(after(observed), now)), now)), now)
}

/** One that is new, or was taken away. */
function observe(
  pool: PoolSnapshot,
  { control, now }: { readonly control: keyof ObservedControls; readonly now: Instant },
): Memory {
  const { memory } = pool
  const value = askedOf(pool, control)
  const by = control === 'fleetPaused' ? pool.fleet?.pausedBy : pool.controls.by?.[control]
  const effect = value === undefined ? ON_REMOVED[control]?.(pool) : ON_SET[control](pool, { value, now })
  const next = withObserved(effect?.memory ?? memory, { ...memory.observedControls, [control]: value })
  return effect ? recorded(next, { effect: withValue(effect, value), by, now }) : next
}

/** The fleet's pause is every pool's. */
function askedOf({ controls, fleet }: PoolSnapshot, control: keyof ObservedControls): string | undefined {
  return control === 'fleetPaused' ? fleet?.paused : controls[control]
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
