import type { NodePhase } from '../../protocol/node-pool.ts'
import { type Uncordon, uncordons } from '../drain/actions.ts'
import { type Draining, isBlocked, underwayIn } from '../drain/blockage.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import type { Selection } from '../selection/select.ts'

const AT_WORK: ReadonlySet<NodePhase> = new Set(['Assigned', 'Applying', 'Rebooting', 'Proving'])

export interface Movement {
  readonly ongoing: readonly Member[]
  readonly draining: readonly Draining[]
  readonly lifting: readonly Uncordon[]
  readonly atWork: boolean
  /** Something changes now, without a person. */
  readonly moves: boolean
  /** Some node is waited for until a time at which it fails, or is tried again. */
  readonly awaits: boolean
}

export function movementOf(poolState: PoolState, { selected }: Pick<Selection, 'selected'>): Movement {
  const { notAtRest, now } = poolState
  const ongoing = notAtRest.filter(({ progress }) => progress.pending && progress.phase !== 'Unreachable')
  const draining = underwayIn(ongoing)
  const atWork = ongoing.some(({ progress }) => AT_WORK.has(progress.phase))
  // In a moment it gives back its part of the budget: nothing waits for that. Until then nothing is Ready.
  const lifting = uncordons(poolState)
  const moves = selected.length > 0 || atWork || draining.some(({ drain }) => !isBlocked(drain, now)) || lifting.length > 0
  const awaits = notAtRest.some(({ progress: { pending, until } }) => pending && until !== undefined && until > now)
  return { ongoing, draining, lifting, atWork, moves, awaits }
}
