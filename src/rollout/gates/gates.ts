import type { GateStatus } from '../../protocol/node-pool.ts'
import { describePause } from '../controls/pause.ts'
import { isWaveDone } from '../exposure/wave-progress.ts'
import type { AskGate } from '../model/decision.ts'
import type { Instant } from '../model/instant.ts'
import { stamp } from '../model/instant.ts'
import type { GatePolicy } from '../model/policy.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import {
  answered,
  beginRecord,
  checkHash,
  type GateIdentity,
  isAnswerTo,
  isRecordOf,
  mayRecordLater,
  nextAsk,
  questionOf,
  recorded,
  restamped,
  suspended,
  unasked,
  waiting,
} from './gate-records.ts'
import { isRecordedLate } from './late-record.ts'
import { isStillNeeded, notedBefore } from './noted-before.ts'

/** A status is kept in one object; of a rollout with many waves, what the first gates said stands in events alone. */
const RECORDS_KEPT = 50

/** Characters of what older records say was so before: the newest of them are kept. */
const NOTES_KEPT = 200_000

/** A gate after the open wave, and what it has said. */
export interface GateState {
  readonly gate: GatePolicy
  readonly record: GateStatus
}

/**
 * What is to be remembered of the gates now, or undefined when that stands there already. While the wave is not done, or somebody paused
 * the pool, no gate is asked, and none loses time by it.
 */
export function updateGates(poolState: PoolState): readonly GateStatus[] | undefined {
  const gates = gatesAfterWave(poolState)
  const { gates: before = [] } = poolState.rollout.memory
  if (gates.length === 0) return undefined
  const tended = gates.flatMap((gate) => updateGate(gate, poolState) ?? [])
  if (tended.length === 0 && !before.some((record) => isOf(record, poolState))) return undefined
  const others = before.flatMap((record) => {
    if (!isOfRollout(record, poolState)) return isStillNeeded(record, { tended, state: poolState }) ? record : []
    // A commit may have renamed the wave after which it waited.
    return record.wave === waveName(poolState) ? [] : (suspended(record) ?? [])
  })
  const after = [...newestNotes(others), ...tended].slice(-RECORDS_KEPT)
  return JSON.stringify(after) === JSON.stringify(before) ? undefined : after
}

function newestNotes(records: readonly GateStatus[]): readonly GateStatus[] {
  let noted = 0
  const fits = ({ before = [] }: GateStatus): boolean => {
    noted += before.join().length
    return before.length === 0 || noted <= NOTES_KEPT
  }
  return records.toReversed().filter(fits).toReversed()
}

/**
 * None for a target that the pool has run through before, nor after a wave that never had a node. A gate that was asked has to pass,
 * also when the nodes of its wave are gone.
 */
function gatesAfterWave(poolState: PoolState): readonly GatePolicy[] {
  const { pool, rollout, waves, open, members } = poolState
  const { gates = [] } = pool.policy
  const wave = waves[open]
  if (gates.length === 0 || rollout.state !== 'InProgress' || rollout.proven || !wave) return []
  const applying = gates.filter(({ after }) => after === undefined || after.includes(wave.name))
  const wasAsked = (rollout.memory.gates ?? []).some((record) => isOf(record, poolState))
  return wasAsked || members.some((member) => member.wave === open) ? applying : []
}

/** Those that have not passed: the rollout does not go on before they have. One that nothing is remembered of has not. */
export function unpassedGates(poolState: PoolState): readonly GateState[] {
  return withUnremembered(poolState).filter(({ record }) => record.state !== 'Passed')
}

function about({ name, check }: GatePolicy, poolState: PoolState): GateIdentity {
  return { name, wave: waveName(poolState), ...rolloutId(poolState), check: checkHash(check) }
}

/** Gates that must note what is so before the open wave may begin, and have not. One that nothing is remembered of has not. */
export function recordingGates(poolState: PoolState): readonly GateState[] {
  return withUnremembered(poolState).filter(({ record }) => record.state === 'Recording')
}

function withUnremembered(poolState: PoolState): GateState[] {
  return gatesAfterWave(poolState).map((gate) => ({ gate, record: recordOf(gate, poolState) ?? firstRecord(gate, poolState) }))
}

function firstRecord(gate: GatePolicy, poolState: PoolState): GateStatus {
  const state = gate.check.kind === 'workloads' ? 'Recording' : 'Waiting'
  return beginRecord(about(gate, poolState), { state, now: poolState.now })
}

/** What is to be asked now. */
export function gateQuestions(poolState: PoolState): AskGate[] {
  const { now } = poolState
  return gateStates(poolState).flatMap(({ gate, record }) => {
    const question = questionOf(record)
    if (question === undefined || isLeftAlone(poolState) || nextAsk(record, gate, now) > now) return []
    const { wave, rollout, revision } = record
    const check = checkHash(gate.check)
    return [
      { kind: 'askGate', gate, question, wave, revision, rollout, check, nodes: nodesSoFar(poolState), ...recorded(record) },
    ]
  })
}

/** When time alone makes a gate due. */
export function nextGate(poolState: PoolState): readonly Instant[] {
  return gateStates(poolState).flatMap(({ gate, record }) =>
    questionOf(record) === undefined || isLeftAlone(poolState) ? [] : [nextAsk(record, gate, poolState.now)],
  )
}

function gateStates(poolState: PoolState): GateState[] {
  return gatesAfterWave(poolState).flatMap((gate) => {
    const record = recordOf(gate, poolState)
    return record ? [{ gate, record }] : []
  })
}

function recordOf(gate: GatePolicy, poolState: PoolState): GateStatus | undefined {
  return poolState.rollout.memory.gates?.find((record) => isOf(record, poolState) && isRecordOf(record, gate))
}

function updateGate(gate: GatePolicy, poolState: PoolState): GateStatus | undefined {
  const { now, pool } = poolState
  const remembered = recordOf(gate, poolState)
  // Until it is recorded, nodes may have gone, or have been restored, because of which it was to be recorded again.
  const isKnown = remembered !== undefined && remembered.state !== 'Recording'
  const known = isKnown ? remembered : withNotes(gate, remembered, poolState)
  const isLate = gate.check.kind === 'workloads' && isRecordedLate(gate, { record: known, state: poolState })
  const record = currentRecord(gate, isLate ? withoutRecord(gate, poolState) : known, poolState)
  if (!record) return undefined
  const current = restamped(record, now)
  const check = checkHash(gate.check)
  const answer = isLeftAlone(poolState)
    ? undefined
    : pool.gateAnswers?.find((candidate) => candidate.check === check && isAnswerTo(current, candidate))
  return answer ? answered(current, answer, { gate, clock: poolState.clock }) : current
}

/** Another commit, or the first try of this one, had begun with the wave: what was so before that counts, as far as it is so still. */
function withNotes(gate: GatePolicy, recording: GateStatus | undefined, poolState: PoolState): GateStatus | undefined {
  const noted = gate.check.kind === 'workloads' ? notedBefore(gate, poolState) : undefined
  if (!noted || (recording?.before && recording.recordedAt === noted.recordedAt)) return recording
  return { ...beginRecord(about(gate, poolState), { state: 'Recording', now: poolState.now }), ...noted }
}

/** Everything that is unavailable counts: nothing tells any more what was so before. */
function withoutRecord(gate: GatePolicy, poolState: PoolState): GateStatus {
  return { ...beginRecord(about(gate, poolState), { state: 'Recorded', now: poolState.now }), before: [], begun: true }
}

/** The record as it is before any answer: begun, going on, or suspended. */
function currentRecord(gate: GatePolicy, record: GateStatus | undefined, poolState: PoolState): GateStatus | undefined {
  const { now } = poolState
  const notes = gate.check.kind === 'workloads'
  if (!isAsking(poolState)) {
    const left = record && suspended(record)
    if (!notes) return left
    const isToRecord = !left || left.state === 'Recording' || (mayRecordLater(left) && isBeforeWave(poolState))
    if (isToRecord && isLeftAlone(poolState)) return left && unasked(left, now)
    if (isToRecord) return left ?? firstRecord(gate, poolState)
    return mayRecordLater(left) && hasBegun(poolState) ? { ...left, begun: true } : left
  }
  if (record?.state === 'Recorded') return waiting(record, now)
  return record ?? firstRecord(gate, poolState)
}

function isAsking(poolState: PoolState): boolean {
  return isWaveDone(poolState) && !isStopped(poolState)
}

function isStopped(poolState: PoolState): boolean {
  return describePause(poolState) !== undefined
}

/** Nothing is asked now, and no answer counts. */
function isLeftAlone(poolState: PoolState): boolean {
  return isStopped(poolState) || isBeforeWave(poolState)
}

/**
 * Something keeps the open wave from beginning, a window for example. What is unavailable before it is taken down when it can begin: by then
 * other workloads may have failed, or be back.
 */
function isBeforeWave(poolState: PoolState): boolean {
  return poolState.blocker() !== undefined && !isWaveDone(poolState) && !hasBegun(poolState)
}

/**
 * As the nodes of the open wave show: those that began may be gone. One of an earlier wave, or of a later one in the place of a member, that is
 * drained for the target gets it whatever keeps the others.
 */
function hasBegun({ members, open }: PoolState): boolean {
  return members.some((member) => (member.wave === open && member.isExposed) || isDrainedForTarget(member))
}

function isDrainedForTarget({ node, drain, wanted, exposure }: Member): boolean {
  const isUnderway = drain?.kind === 'Underway' || drain?.kind === 'Done'
  return isUnderway && exposure.content === 'target' && wanted.kind === 'config' && wanted.digest === node.mark?.digest
}

function isOf(record: GateStatus, poolState: PoolState): boolean {
  return record.wave === waveName(poolState) && isOfRollout(record, poolState)
}

function isOfRollout(record: GateStatus, poolState: PoolState): boolean {
  const { revision, rollout } = rolloutId(poolState)
  return record.revision === revision && record.rollout === rollout
}

function waveName({ waves, open }: PoolState): string {
  return waves[open]?.name ?? ''
}

/** The commit that the rollout began with, and when: neither changes when a commit of equal content arrives. */
function rolloutId({ rollout }: PoolState): Pick<GateStatus, 'revision' | 'rollout'> {
  const { revision, startedAt } = rollout.memory.history[0] ?? { ...rollout.target, startedAt: stamp(rollout.startedAt) }
  return { revision, rollout: startedAt }
}

function nodesSoFar({ members, open }: PoolState): string[] {
  const asked = members.filter(({ wave, progress }) => wave !== undefined && wave <= open && progress.phase !== 'Held')
  return asked.map(({ node }) => node.name).sort()
}
