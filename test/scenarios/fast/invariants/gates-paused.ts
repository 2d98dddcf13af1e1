import type { GateStatus } from '../../../../src/protocol/node-pool.ts'
import type { AskGate } from '../../../../src/rollout/model/decision.ts'
import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import type { Memory } from '../../../../src/rollout/model/snapshot.ts'
import { fingerprintOf } from '../content.ts'
import type { Observed } from '../controller.ts'
import type { Invariant } from '../invariants.ts'
import { type Decided, decidedPools } from './steps.ts'

export const gatesPaused: Invariant = {
  claim:
    'no gate is checked or fails during a pause, or while a node that is waited for is not Ready; after a pause, its timeout starts again',
  ofDecision: (observed) =>
    decidedPools(observed).every((decided) => {
      const isPaused = isPausedNow(decided, observed)
      if (!checksOf(decided).every((check) => !isPaused && isOfReadyNodes(check, decided))) return false
      return isPaused ? failsNone(decided) : !wasPaused(decided) || startsAgain(decided)
    }),
}

function checksOf({ decision: { actions } }: Decided): AskGate[] {
  return actions.filter((action) => action.kind === 'askGate').filter(({ question }) => question === 'after')
}

function isPausedNow({ pool: { controls } }: Decided, { fleet }: Observed): boolean {
  return controls.paused !== undefined || fleet.controls.paused !== undefined
}

/** By the status that was written last. */
function wasPaused({ pool: { memory } }: Decided): boolean {
  return memory.conditions.some(({ reason, type }) => reason === 'Paused' && type === 'Stalled')
}

function isOfReadyNodes({ nodes }: AskGate, decided: Decided): boolean {
  return decided.pool.nodes.every((node) => node.ready || !nodes.includes(node.name) || !isAwaited(node, decided))
}

/**
 * It was Ready when it was assigned the target, it may become so in time, and it has not failed. A stamp that is further ahead of the controller than
 * work may take does not say since when it is down.
 */
function isAwaited(
  { name, assigned, readySince, hold, leaving }: NodeView,
  { at, pool, decision: { status } }: Decided,
): boolean {
  if (hold !== undefined || leaving || assigned === undefined || assigned.nodeWas !== undefined) return false
  if (fingerprintOf(assigned.digest) !== status.target?.fingerprint) return false
  return Math.abs(at - readySince) < pool.policy.applyTimeout && status.failed.every(({ node }) => node !== name)
}

function failsNone({ pool, decision: { status } }: Decided): boolean {
  const failed = new Set(gatesIn('Failed', pool.memory).map(keyOf))
  return gatesIn('Failed', status).every((gate) => failed.has(keyOf(gate)))
}

/** Of the rollout under way: what is kept of others does not count any more. */
function startsAgain({ at, decision: { status } }: Decided): boolean {
  const [run] = status.history
  const current = gatesIn('Waiting', status).filter(
    ({ rollout, revision }) => rollout === run?.startedAt && revision === run.revision,
  )
  return run?.result !== 'Running' || current.every(({ since }) => Date.parse(since) === at)
}

function gatesIn(state: GateStatus['state'], { gates = [] }: Pick<Memory, 'gates'>): GateStatus[] {
  return gates.filter((gate) => gate.state === state)
}

function keyOf({ name, wave, rollout }: GateStatus): string {
  return `${name} ${wave} ${rollout}`
}
