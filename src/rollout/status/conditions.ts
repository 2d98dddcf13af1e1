import type { PoolCondition, PoolConditionType } from '../../protocol/node-pool.ts'
import type { Restraint } from '../blockers/blocker.ts'
import { describePause } from '../blockers/pause.ts'
import { type Uncordon, uncordons } from '../drain/actions.ts'
import { type Draining, describeDrain, isBlocked, isSlow, underwayIn } from '../drain/blockage.ts'
import { awaitsPromotion, isWaveDone } from '../exposure/wave-progress.ts'
import { describeUse } from '../fleet/fleet-budget.ts'
import { unpassedGates } from '../gates/gates.ts'
import { stamp } from '../model/instant.ts'
import type { Picture } from '../model/pool-state.ts'
import { describeGates, describeNodes, listNames } from '../model/text.ts'
import type { Taking } from '../selection/select-nodes.ts'
import { isRejected } from '../target/target.ts'
import { promoteCommand } from './remedies.ts'
import { type Finding, obstacleOf } from './stall.ts'

/** Ready, Reconciling and Stalled, as kstatus reads them: `kubectl wait`, Flux and Argo know what to make of these. */
export function conditionsOf(picture: Picture, taking: Taking): readonly PoolCondition[] {
  const obstacle = obstacleOf(picture, taking)
  const work = workOf(picture, taking)
  const rest = restOf(picture)
  const condition = (type: PoolConditionType, holds: boolean, finding: Finding): PoolCondition => {
    const { reason, message } = withPause(finding, picture)
    const status = holds ? 'True' : 'False'
    const before = picture.run.memory.conditions.find((other) => other.type === type && other.status === status)
    return { type, status, reason, message, lastTransitionTime: before?.lastTransitionTime ?? stamp(picture.now) }
  }
  return [
    condition('Ready', !obstacle && !work, obstacle ?? work ?? rest),
    condition('Reconciling', work !== undefined, work ?? obstacle ?? rest),
    condition('Stalled', obstacle !== undefined, obstacle ?? work ?? rest),
  ]
}

/** A pause that keeps nothing from happening now is told all the same: the next commit will meet it. */
function withPause({ reason, message }: Finding, picture: Picture): Finding {
  const pause = describePause(picture)
  return { reason, message: pause === undefined || reason === 'Paused' ? message : `${message}; ${pause}` }
}

/** What goes on, or is waited for and will come; undefined when nothing will happen by itself. */
function workOf(picture: Picture, { taken, waiting, restraint }: Taking): Finding | undefined {
  const { pool, run, members, now } = picture
  const ongoing = members.filter(({ standing }) => standing.pending && standing.phase !== 'Unreachable')
  const draining = underwayIn(ongoing)
  const isStuck = draining.some(({ drain }) => isBlocked(drain, now))
  const atWork = ongoing.some(({ standing }) => standing.phase === 'Assigned' || standing.phase === 'Applying')
  // In a moment it gives back its part of the budget: nothing waits for that. Until then nothing is Ready.
  const lifting = uncordons(picture)
  const moves = taken.length > 0 || atWork || draining.some(({ drain }) => !isBlocked(drain, now)) || lifting.length > 0
  if (run.state === 'Halted' || members.length === 0) return undefined
  const message = `${describeNodes(picture)}${describeWave(picture)}${describeDrains(draining)}`
  // Before what may keep it: a pool that is paused, and waits with the newest commit for another one, has not got it.
  if (run.state === 'Completed' && ongoing.length === 0 && taken.length === 0)
    return run.withheld ? wait(run.withheld, message) : uncordoning(lifting, message)
  if (!moves && (restraint?.stalls || isStuck)) return undefined
  const gates = moves || !isWaveDone(picture) ? [] : unpassedGates(picture)
  if (gates.length > 0) return { reason: 'WaitingForGate', message: `${message}; ${describeGates(gates)}` }
  if (!moves && run.state === 'Going' && isWaveDone(picture) && awaitsPromotion(picture))
    return { reason: 'WaitingForPromotion', message: `${message}; ${howToPromote(picture)}` }
  if (!moves && restraint) return wait(restraint, message)
  if (isRejected(run.memory, pool.head)) return { reason: 'RollingBack', message }
  if (!moves && waiting > 0)
    return { reason: 'WaitingForBudget', message: `${message}; ${waiting} wait for the budget${describeUse(pool)}` }
  if (!atWork && taken.length === 0 && draining.some(({ drain }) => isSlow(drain, now))) return { reason: 'Draining', message }
  const soaking = !moves && ongoing.some(({ standing }) => standing.phase === 'Soaking')
  return { reason: soaking ? 'Soaking' : 'RollingOut', message }
}

function howToPromote({ pool, run, waves, open }: Picture): string {
  return `"${waves[open + 1]?.name}" opens after: ${promoteCommand(pool.name, run.target)}`
}

/** Who waits for Ready schedules pods next. */
function uncordoning(lifting: readonly Uncordon[], nodes: string): Finding | undefined {
  const cordoned = lifting.filter(({ lifts }) => lifts).map(({ node }) => node)
  if (cordoned.length === 0) return undefined
  return { reason: 'Uncordoning', message: `${nodes}; uncordons ${listNames(cordoned.sort())}` }
}

/** One that stalls is an obstacle, and no work. */
function wait({ reason, message, stalls }: Restraint, nodes: string): Finding | undefined {
  return stalls ? undefined : { reason, message: `${nodes}; ${message}` }
}

function restOf(picture: Picture): Finding {
  if (picture.members.length === 0) return { reason: 'NoNodes', message: 'the pool selects no node' }
  return { reason: 'Completed', message: describeNodes(picture) }
}

function describeDrains(draining: readonly Draining[]): string {
  const [first] = draining
  return first ? `; drains ${describeDrain(first.node.name, first.drain)}` : ''
}

function describeWave({ waves, open }: Picture): string {
  const wave = waves[open]
  return wave && waves.length > 1 ? `; wave ${open + 1} of ${waves.length}, "${wave.name}"` : ''
}
