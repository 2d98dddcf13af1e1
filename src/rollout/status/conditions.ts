import type { PoolCondition, PoolConditionType } from '../../protocol/node-pool.ts'
import { describePause, resumeCommand } from '../controls/pause.ts'
import type { Uncordon } from '../drain/actions.ts'
import { type Draining, describeDrain, isBlocked, isSlow } from '../drain/blockage.ts'
import { awaitsPromotion, isWaveDone } from '../exposure/wave-progress.ts'
import { unpassedGates } from '../gates/gates.ts'
import type { Blocker } from '../model/blocker.ts'
import { stamp } from '../model/instant.ts'
import type { PoolState } from '../model/pool-state.ts'
import { describeGates, describeNodes, listNames } from '../model/text.ts'
import type { Selection } from '../selection/select.ts'
import type { Explanation } from './explanation.ts'
import { describeLastChances } from './last-chances.ts'
import { describeLateWork } from './late-work.ts'
import { type Movement, movementOf } from './movement.ts'
import { describeNotReady } from './not-ready.ts'
import { describeProofs, describeUnproved } from './proofs.ts'
import { describeReboots, describeRequired } from './reboots-shown.ts'
import { describeRefusals } from './refusals.ts'
import { describeRefusedClear } from './refused-clear.ts'
import { promoteCommand } from './remedies.ts'
import { directionOf, whileRollingBack } from './rolling-back.ts'
import { describeAwaited, describeShortage } from './shortage.ts'
import { describeEnd } from './soaks.ts'
import { stallOf } from './stall.ts'

/** Ready, Reconciling and Stalled, as kstatus reads them: `kubectl wait`, Flux and Argo know what to make of these. */
export function conditionsOf(poolState: PoolState, selection: Selection): readonly PoolCondition[] {
  const stall = stallOf(poolState, selection)
  const movement = movementOf(poolState, selection)
  const work = workOf(poolState, selection, movement)
  const first = stall ?? work ?? restOf(poolState)
  const goingBack = stall && work && whileRollingBack(poolState, { stall, work, movement })
  const [pause, refusedClear] = [pauseOf(poolState), describeRefusedClear(poolState.pool)]
  const condition = (type: PoolConditionType, holds: boolean, finding: Explanation): PoolCondition => {
    const { reason, message } = withRefusedClear(withPause(finding, pause), refusedClear)
    const status = holds ? 'True' : 'False'
    const before = poolState.rollout.memory.conditions.find((other) => other.type === type && other.status === status)
    return { type, status, reason, message, lastTransitionTime: before?.lastTransitionTime ?? stamp(poolState.now) }
  }
  return [
    condition('Ready', !stall && !work, goingBack ?? first),
    condition('Reconciling', work !== undefined, work ?? first),
    condition('Stalled', stall !== undefined, first),
  ]
}

function pauseOf(poolState: PoolState): string | undefined {
  const pause = describePause(poolState)
  return pause && `${pause}; until: ${resumeCommand(poolState)}`
}

/** A pause that keeps nothing from happening now is reported all the same: the next commit will meet it. */
function withPause(finding: Explanation, pause: string | undefined): Explanation {
  const { reason, message } = finding
  return pause === undefined || reason === 'Paused' ? finding : { reason, message: `${message}; ${pause}` }
}

/** Beside what is more urgent: it names the request that a person would make again. */
function withRefusedClear({ reason, message }: Explanation, refused: string | undefined): Explanation {
  return refused === undefined || message.includes(refused) ? { reason, message } : { reason, message: `${message}; ${refused}` }
}

/** What goes on, or is waited for and will come; undefined when nothing will happen by itself. */
function workOf(poolState: PoolState, selection: Selection, movement: Movement): Explanation | undefined {
  const work = activityOf(poolState, selection, movement)
  // It keeps nothing from happening, so what does comes before it.
  return work && { reason: work.reason, message: `${work.message}${describeUnproved(poolState)}` }
}

function activityOf(poolState: PoolState, selection: Selection, movement: Movement): Explanation | undefined {
  const { selected, waiting, blocker, lacking } = selection
  const { rollout, members, notAtRest, counts, now } = poolState
  const { ongoing, draining, lifting, atWork, moves } = movement
  const isStuck = draining.some(({ drain }) => isBlocked(drain, now))
  if (rollout.state === 'Halted' || members.length === 0) return undefined
  const message = `${describeNodes(poolState)}${describeWave(poolState)}${describeDrains(draining)}${describeProofs(poolState)}${describeReboots(notAtRest)}${describeRefusals(notAtRest)}${describeNotReady(poolState)}${describeLastChances(poolState)}`
  // Before what may keep it: a pool that is paused, and waits with the newest commit for another one, has not got it.
  if (rollout.state === 'Completed' && counts.ongoing === 0 && selected.length === 0) return leftToDo(poolState, lifting, message)
  const isDone = isWaveDone(poolState)
  const gates = isDone ? unpassedGates(poolState) : []
  // Also of a pool that stalls, or whose other nodes change: it is for a person to go on.
  if (isDone && gates.length === 0 && rollout.state === 'InProgress' && awaitsPromotion(poolState))
    return { reason: 'WaitingForPromotion', message: `${message}; ${howToPromote(poolState)}` }
  if (!moves && (blocker?.stalls || isStuck)) return undefined
  if (!moves && gates.length > 0) return { reason: 'WaitingForGate', message: `${message}; ${describeGates(gates)}` }
  if (!moves && blocker) return wait({ ...blocker, message: `${blocker.message}${describeAwaited(selection)}` }, message)
  const shortage = `; ${waiting} wait for the budget${describeShortage(poolState, lacking)}`
  if (!moves && waiting > 0) return { reason: 'WaitingForBudget', message: `${message}${shortage}` }
  if (counts.byPhase.has('Rebooting')) return { reason: 'Rebooting', message }
  if (!atWork && selected.length === 0 && draining.some(({ drain }) => isSlow(drain, now))) return { reason: 'Draining', message }
  const ending = moves ? undefined : describeEnd(poolState, ongoing)
  return ending === undefined
    ? { reason: directionOf(poolState), message: `${message}${describeLateWork(ongoing, poolState.clock)}` }
    : { reason: 'Soaking', message: `${message}${ending}` }
}

function howToPromote({ pool, rollout, waves, open }: PoolState): string {
  return `"${waves[open + 1]?.name}" opens after: ${promoteCommand(pool.name, rollout.target)}`
}

/** Who waits for Ready schedules pods next. */
function uncordoning(lifting: readonly Uncordon[], nodes: string): Explanation | undefined {
  const cordoned = lifting.filter(({ lifts }) => lifts).map(({ node }) => node)
  if (cordoned.length === 0) return undefined
  return { reason: 'Uncordoning', message: `${nodes}; uncordons ${listNames(cordoned.sort())}` }
}

/** Of a pool whose every node is done. */
function leftToDo({ pool, rollout }: PoolState, lifting: readonly Uncordon[], nodes: string): Explanation | undefined {
  if (rollout.commitBlocker) return wait(rollout.commitBlocker, nodes)
  return uncordoning(lifting, nodes) ?? leftCordoned(pool, nodes)
}

/** Nobody else tells of them. */
function leftCordoned({ fleet }: PoolState['pool'], nodes: string): Explanation | undefined {
  const [first] = fleet?.strayCordons ?? []
  if (first === undefined) return undefined
  const left = `${listNames(fleet?.strayCordons ?? [])} left the pool in the middle of a change`
  const until = `cordoned until the agent has ended the work, or: kubectl uncordon ${first}`
  return { reason: 'Uncordoning', message: `${nodes}; ${left}; ${until}` }
}

/** One that stalls is an obstacle, and no work. */
function wait({ reason, message, stalls }: Blocker, nodes: string): Explanation | undefined {
  return stalls ? undefined : { reason, message: `${nodes}; ${message}` }
}

function restOf(poolState: PoolState): Explanation {
  if (poolState.members.length === 0) return { reason: 'NoNodes', message: 'the pool selects no node' }
  return {
    reason: 'Completed',
    message: `${describeNodes(poolState)}${describeRequired(poolState)}${describeUnproved(poolState)}`,
  }
}

function describeDrains(draining: readonly Draining[]): string {
  const [first] = draining
  return first ? `; drains ${describeDrain(first.node.name, first.drain)}` : ''
}

function describeWave({ pool, rollout, waves, open }: PoolState): string {
  const wave = waves[open]
  if (!wave || waves.length === 1) return ''
  const asAsked = rollout.proven ? undefined : pool.policy.waves[open]
  const isReplaced = asAsked !== undefined && 'matchLabels' in asAsked.nodes && !('matchLabels' in wave.nodes)
  return `; wave ${open + 1} of ${waves.length}, "${wave.name}"${isReplaced ? ', whose selector names no node: it takes one' : ''}`
}
