import type { AskedBy } from '../../protocol/asked-by.ts'
import type { HeededControls } from '../../protocol/node-pool.ts'
import type { Instant } from '../model/instant.ts'
import type { Memory, PoolSnapshot } from '../model/snapshot.ts'
import type { Heeded } from './control-effect.ts'
import { ASKED, TAKEN_BACK } from './effects.ts'
import { heedHolds } from './hold.ts'
import { recorded } from './record.ts'
import { endOutrun } from './rollback.ts'

const CONTROLS = ['fleetPaused', 'paused', 'promoted', 'retry', 'rollback', 'reconcileAt'] as const

/**
 * What the pool remembers, brought up to what people ask for now. An annotation counts once, when it is new: what was heeded is
 * remembered for as long as it stands, or a commit that fails again would be retried for ever.
 */
export function heedControls(pool: PoolSnapshot, now: Instant): Memory {
  const after = (memory: Memory): PoolSnapshot => ({ ...pool, memory })
  const heeded = CONTROLS.reduce((memory, control) => heed(after(memory), { control, now }), pool.memory)
  return heedHolds(after(endOutrun(after(heeded), now)), now)
}

function heed(pool: PoolSnapshot, { control, now }: { readonly control: keyof HeededControls; readonly now: Instant }): Memory {
  const { memory } = pool
  const { value, by } = askedOf(pool, control)
  if (value === memory.heeded?.[control]) return memory
  const effect = value === undefined ? TAKEN_BACK[control]?.(pool) : ASKED[control](pool, { value, now })
  const next = withHeeded(effect?.memory ?? memory, { ...memory.heeded, [control]: value })
  return effect ? recorded(next, { effect: withValue(effect, value), by, now }) : next
}

/** The fleet's pause is every pool's. */
function askedOf({ controls, fleet }: PoolSnapshot, control: keyof HeededControls): Asked {
  if (control === 'fleetPaused') return { value: fleet?.paused, by: fleet?.pausedBy }
  return { value: controls[control], by: controls.by?.[control] }
}

interface Asked {
  readonly value: string | undefined
  readonly by: AskedBy | undefined
}

function withValue(effect: Heeded, value: string | undefined): Heeded & { readonly value?: string } {
  return value === undefined || value === '' || effect.what === 'Reconcile' ? effect : { ...effect, value }
}

function withHeeded(
  { heeded: _, ...memory }: Memory,
  heeded: { readonly [Control in keyof HeededControls]?: string | undefined },
): Memory {
  const standing = Object.entries(heeded).filter(([, value]) => value !== undefined)
  return standing.length === 0 ? memory : { ...memory, heeded: Object.fromEntries(standing) }
}
