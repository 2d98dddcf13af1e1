import { notingGates } from '../gates/gates.ts'
import type { Circumstances, Picture } from '../model/pool-state.ts'
import { describeGates } from '../model/text.ts'
import type { Restraint } from './blocker.ts'
import { closedWindow } from './closed-window.ts'
import { stoppedFleet } from './fleet-stop.ts'
import { describePause, resumeCommand } from './pause.ts'

/** Each looks at one reason why no node may be taken now; the first that holds is told, and all that hold are kept to. */
const RULES: readonly ((circumstances: Circumstances) => Restraint | undefined)[] = [
  withheldTarget,
  paused,
  stoppedFleet,
  closedWindow,
]

export function restraintOf(picture: Picture): Restraint | undefined {
  return poolRestraint(picture) ?? unnoted(picture)
}

/** What of it can be told before the nodes are looked at. */
export function poolRestraint(circumstances: Circumstances): Restraint | undefined {
  const restraints = RULES.flatMap((rule) => rule(circumstances) ?? [])
  const [first] = restraints
  if (!first) return undefined
  const { sparesJoining, stopsDrains, ...told } = first
  return {
    ...told,
    ...(restraints.every((restraint) => restraint.sparesJoining) && { sparesJoining: true }),
    ...(restraints.some((restraint) => restraint.stopsDrains) && { stopsDrains: true }),
  }
}

/** There is nothing else that the pool could be brought to meanwhile. */
function withheldTarget({ run }: Circumstances): Restraint | undefined {
  return run.state === 'Withheld' ? run.withheld : undefined
}

function paused(picture: Circumstances): Restraint | undefined {
  const pause = describePause(picture)
  if (pause === undefined) return undefined
  const message = `${pause}; nodes under way finish; until: ${resumeCommand(picture)}`
  return { reason: 'Paused', message, stalls: true }
}

/** What was unavailable before the wave cannot be told once it has begun. */
function unnoted(picture: Picture): Restraint | undefined {
  const gates = notingGates(picture)
  if (gates.length === 0) return undefined
  return { reason: 'WaitingForGate', message: describeGates(gates), stalls: false, sparesJoining: true }
}
