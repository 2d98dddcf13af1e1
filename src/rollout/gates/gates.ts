import type { GateStatus } from '../../protocol/node-pool.ts'
import { describePause } from '../blockers/pause.ts'
import { isWaveDone } from '../exposure/wave-progress.ts'
import type { AskGate } from '../model/decision.ts'
import type { Instant } from '../model/instant.ts'
import { stamp } from '../model/instant.ts'
import type { GatePolicy } from '../model/policy.ts'
import type { Picture } from '../model/pool-state.ts'
import { answered, beginRecord, isAnswerTo, nextAsk, questionOf, restamped, suspended, waiting } from './gate-records.ts'

/** A status is kept in one object; of a run with many waves, what the first gates said is told by events alone. */
const RECORDS_KEPT = 50

/** A gate after the open wave, and what it has said. */
export interface GateSight {
  readonly gate: GatePolicy
  readonly record: GateStatus
}

/**
 * What is to be remembered of the gates now, or undefined when that stands there already. While the wave is not done, or somebody paused
 * the pool, no gate is asked, and none loses time by it.
 */
export function tendGates(picture: Picture): readonly GateStatus[] | undefined {
  const gates = gatesAfterWave(picture)
  const { gates: before = [] } = picture.run.memory
  if (gates.length === 0) return undefined
  const run = runId(picture)
  const tended = gates.flatMap((gate) => tend(gate, picture) ?? [])
  if (tended.length === 0 && !before.some((record) => isOf(record, picture))) return undefined
  const others = before.filter((record) => record.run === run && !isOf(record, picture))
  const after = [...others, ...tended].slice(-RECORDS_KEPT)
  return JSON.stringify(after) === JSON.stringify(before) ? undefined : after
}

/** None for a target that the pool has run through before, nor after a wave without a node. */
export function gatesAfterWave({ pool, run, waves, open, members }: Picture): readonly GatePolicy[] {
  const { gates = [] } = pool.policy
  const wave = waves[open]
  if (gates.length === 0 || run.state !== 'Going' || run.proven || !wave) return []
  const applying = gates.filter(({ after }) => after === undefined || after.includes(wave.name))
  return members.some((member) => member.wave === open) ? applying : []
}

/** Those that have not passed: the roll-out does not go on before they have. One that nothing is remembered of has not. */
export function unpassedGates(picture: Picture): readonly GateSight[] {
  const records = new Map(sights(picture).map(({ record }) => [record.name, record]))
  return gatesAfterWave(picture)
    .map((gate) => ({
      gate,
      record: records.get(gate.name) ?? beginRecord(about(gate, picture), { state: 'Waiting', now: picture.now }),
    }))
    .filter(({ record }) => record.state !== 'Passed')
}

function about({ name }: GatePolicy, picture: Picture): Pick<GateStatus, 'name' | 'wave' | 'revision' | 'run'> {
  return { name, wave: waveName(picture), revision: picture.run.target.revision, run: runId(picture) }
}

/** Gates that must note what is so before the open wave may begin, and have not. */
export function notingGates(picture: Picture): readonly GateSight[] {
  return sights(picture).filter(({ record }) => record.state === 'Noting')
}

/** What is to be asked now. */
export function gateQuestions(picture: Picture): AskGate[] {
  const { now } = picture
  return sights(picture).flatMap(({ gate, record }) => {
    const question = questionOf(record)
    if (question === undefined || isStopped(picture) || nextAsk(record, gate, now) > now) return []
    const { wave, run, revision, before = [], notedAt } = record
    const noted = { before, ...(notedAt !== undefined && { notedAt }) }
    return [{ kind: 'askGate', gate, question, wave, revision, run, nodes: nodesSoFar(picture), ...noted }]
  })
}

/** When time alone makes a gate due. */
export function nextGate(picture: Picture): readonly Instant[] {
  return sights(picture).flatMap(({ gate, record }) =>
    questionOf(record) === undefined || isStopped(picture) ? [] : [nextAsk(record, gate, picture.now)],
  )
}

function sights(picture: Picture): GateSight[] {
  const records = (picture.run.memory.gates ?? []).filter((record) => isOf(record, picture))
  return gatesAfterWave(picture).flatMap((gate) => {
    const record = records.find(({ name }) => name === gate.name)
    return record ? [{ gate, record }] : []
  })
}

function tend(gate: GatePolicy, picture: Picture): GateStatus | undefined {
  const { now, pool } = picture
  const remembered = picture.run.memory.gates?.find((record) => record.name === gate.name && isOf(record, picture))
  const record = standing(gate, remembered, picture)
  if (!record) return undefined
  const current = restamped(record, now)
  const answer = isStopped(picture) ? undefined : pool.gateAnswers?.find((candidate) => isAnswerTo(current, candidate))
  const clock = { now, ...(pool.steadySince !== undefined && { steadySince: pool.steadySince }) }
  return answer ? answered(current, answer, { gate, clock }) : current
}

/** The record as it is before any answer: begun, going on, or suspended. */
function standing(gate: GatePolicy, record: GateStatus | undefined, picture: Picture): GateStatus | undefined {
  const { now } = picture
  const notes = gate.check.kind === 'workloads'
  if (!isAsking(picture)) {
    const left = record && suspended(record)
    return left ?? (notes ? beginRecord(about(gate, picture), { state: 'Noting', now }) : undefined)
  }
  if (record?.state === 'Noted') return waiting(record, now)
  return record ?? beginRecord(about(gate, picture), { state: notes ? 'Noting' : 'Waiting', now })
}

function isAsking(picture: Picture): boolean {
  return isWaveDone(picture) && !isStopped(picture)
}

function isStopped(picture: Picture): boolean {
  return describePause(picture) !== undefined
}

function isOf(record: GateStatus, picture: Picture): boolean {
  return record.wave === waveName(picture) && record.run === runId(picture)
}

function waveName({ waves, open }: Picture): string {
  return waves[open]?.name ?? ''
}

function runId({ run }: Picture): string {
  return run.memory.history[0]?.startedAt ?? stamp(run.startedAt)
}

function nodesSoFar({ members, open }: Picture): string[] {
  return members.flatMap(({ node, wave }) => (wave !== undefined && wave <= open ? [node.name] : [])).sort()
}
