import { describePause, pauseStopsDrains, resumeCommand } from '../controls/pause.ts'
import { isOverdue } from '../gates/gate-records.ts'
import { recordingGates } from '../gates/gates.ts'
import type { Blocker } from '../model/blocker.ts'
import type { PoolContext, PoolState } from '../model/pool-state.ts'
import { describeGates } from '../model/text.ts'
import { stoppedFleet } from '../target/fleet-stop.ts'
import { exceededCeiling } from './ceiling.ts'
import { closedWindow } from './closed-window.ts'
import { unreadRepository } from './unread-repository.ts'

/** Each looks at one reason why no node may be taken now; the first that holds is reported, and all that hold are kept to. */
const RULES: readonly ((context: PoolContext) => Blocker | undefined)[] = [
  blockedTarget,
  unreadRepository,
  exceededCeiling,
  paused,
  stoppedFleet,
  closedWindow,
]

export function blockerOf(poolState: PoolState): Blocker | undefined {
  return poolBlocker(poolState) ?? unrecordedGates(poolState)
}

/** What of it is known before the nodes are assessed. */
export function poolBlocker(context: PoolContext): Blocker | undefined {
  const blockers: Blocker[] = []
  for (const rule of RULES) {
    const blocker = rule(context)
    if (blocker) blockers.push(blocker)
  }
  const [first] = blockers
  if (!first) return undefined
  const { sparesJoining, sparesReturning, stopsDrains, ...told } = first
  return {
    ...told,
    ...(blockers.every((blocker) => blocker.sparesJoining) && { sparesJoining: true }),
    ...(blockers.every((blocker) => blocker.sparesReturning) && { sparesReturning: true }),
    ...(blockers.some((blocker) => blocker.stopsDrains) && { stopsDrains: true }),
  }
}

/** There is nothing else that the pool could be brought to meanwhile. */
function blockedTarget({ rollout }: PoolContext): Blocker | undefined {
  return rollout.state === 'Blocked' ? rollout.commitBlocker : undefined
}

function paused(poolState: PoolContext): Blocker | undefined {
  const pause = describePause(poolState)
  if (pause === undefined) return undefined
  const stopsDrains = pauseStopsDrains(poolState.pool)
  const drains = stopsDrains ? ', drains under way are stopped' : ''
  const message = `${pause}; nodes that have started finish${drains}; until: ${resumeCommand(poolState)}`
  return { reason: 'Paused', message, stalls: true, ...(stopsDrains && { stopsDrains }) }
}

/** What was unavailable before the wave cannot be known once it has begun. */
function unrecordedGates(poolState: PoolState): Blocker | undefined {
  const gates = recordingGates(poolState)
  if (gates.length === 0) return undefined
  // No answer came in its whole time: a name is wrong, or a right is missing.
  const stalls = gates.some(({ gate, record }) => isOverdue(record, { gate, clock: poolState.clock }))
  return { reason: 'WaitingForGate', message: describeGates(gates), stalls, sparesJoining: true }
}
