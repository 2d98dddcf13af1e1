import { expect, test } from 'vitest'
import type { GateStatus } from '../../../src/protocol/node-pool.ts'
import { decide } from '../../../src/rollout/decide.ts'
import { checkHash } from '../../../src/rollout/gates/gate-records.ts'
import { NO_MEMORY, type PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { remembering, selected } from '../builders/decisions.ts'
import { minute, noon, stamp } from '../builders/instants.ts'
import { aNode, type NodeDraft, nodes } from '../builders/nodes.ts'
import { aGate, aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'
import { afterCanary, answer, apps, asked, passing, since, waves } from './some-gates.ts'

const about = { name: 'apps', wave: 'canary', revision: 'new', rollout: stamp(since), check: checkHash(apps.check) }

/** Everything that is unavailable counts. */
const unknown = { state: 'Waiting', before: [] }

test('a workloads gate does not record what its canary has broken when the status of the pool is lost', () => {
  const pool = { ...afterCanary([apps]), memory: NO_MEMORY }

  const decision = decide(pool, noon)

  expect(asked(decision)).toMatchObject([{ question: 'after', wave: 'canary', before: [] }])
  expect(asked(decision)[0]?.recordedAt).toBeUndefined()
  expect(decision.status.gates).toMatchObject([unknown])
})

test('a workloads gate does not record what its canary has broken when a status from before the rollout is restored', () => {
  const pool = afterCanary([apps])
  const older = aPool({ stable: 'older' }).with(...pool.nodes).memory

  expect(decide({ ...pool, memory: older }, noon).status.gates).toMatchObject([unknown])
})

test('a workloads gate does not record what its canary has broken when a status from before the record is restored', () => {
  const pool = afterCanary([apps], { wave: { index: 1, count: 2, name: 'canary' } })
  const memory = { ...pool.memory, gates: [{ ...about, state: 'Recording', since: stamp(since) }] as const }
  const answers = [answer('Passed', noon - minute, { gate: 'apps', question: 'before', unavailable: ['Deployment shop/web 1'] })]

  expect(decide({ ...pool, memory, gateAnswers: answers }, noon).status.gates).toMatchObject([unknown])
})

test('a retry of a commit whose record is lost is compared with nothing either', () => {
  const lost = { ...afterCanary([apps], { onFailure: 'Halt' }), memory: NO_MEMORY }
  const waiting = remembering(lost, decide(lost, noon))
  const rollout = stamp(noon - 5 * minute)
  const late = answer('NotPassed', noon + 11 * minute, { gate: 'apps', rollout })
  const failed = remembering(waiting, decide({ ...waiting, gateAnswers: [late] }, noon + 11 * minute))
  const retried = decide({ ...failed, controls: { retry: 'new' } }, noon + 12 * minute)

  expect(failed.memory.gates).toMatchObject([{ state: 'Failed' }])
  expect(retried.status.gates).toMatchObject([{ state: 'Recording', before: [] }])
})

test('a workloads gate records what is so when its record is lost and every node has the content', () => {
  const all = nodes('a', 'b').map((node) => node.on('new', { at: noon - 5 * minute }))
  const lost = { ...aPool({ waves, gates: [apps] }).with(...all), memory: NO_MEMORY }
  const first = decide(lost, noon)
  const rollout = stamp(noon - 5 * minute)
  const recorded = { gate: 'apps', rollout, question: 'before', unavailable: ['Deployment shop/web 1'] } as const
  const later = passing(lost, [{ at: noon + 1, says: answer('Passed', noon + 1, recorded) }])

  expect(asked(first)).toMatchObject([{ question: 'before' }])
  expect(later.status.gates).toMatchObject([{ state: 'Waiting', before: ['Deployment shop/web 1'] }])
})

/** The canary is done, and the gate waits, when a commit gives the pool these gates. */
function whileItWaits(gates: PoolOptions['gates']): PoolSnapshot {
  const pool = afterCanary([apps])
  const noted = { before: ['Deployment shop/web 1'], recordedAt: stamp(since) }
  const memory = { ...pool.memory, gates: [{ ...about, ...noted, state: 'Waiting', since: stamp(since) }] as const }
  return { ...pool, memory, policy: { ...pool.policy, ...(gates && { gates }) } }
}

test('a workloads gate keeps its record when a commit changes its namespaces while it waits', () => {
  const gates = [aGate('apps', { check: { kind: 'workloads', namespaces: ['shop'] } })]

  const decision = decide(whileItWaits(gates), noon)

  expect(asked(decision)).toMatchObject([{ question: 'before', before: ['Deployment shop/web 1'], recordedAt: stamp(since) }])
})

test('a workloads gate that a commit adds when its canary has the target is compared with nothing', () => {
  const gates = [apps, aGate('mail', { check: { kind: 'workloads', namespaces: ['mail'] } })]

  const decision = decide(whileItWaits(gates), noon)

  expect(asked(decision)).toMatchObject([
    { question: 'after', before: ['Deployment shop/web 1'] },
    { question: 'after', before: [] },
  ])
})

/** The gate passed after the canary a minute ago, and the next wave is open, of which `b` was given the target at this instant. */
function inSecondWave(at: number): PoolSnapshot {
  const pool = aPool({ stable: 'older', since, waves, gates: [apps], wave: { index: 2, count: 2, name: 'rest' } }).with(
    aNode('a').on('new', { at: noon - 5 * minute }),
    aNode('b').on('new', { at }),
    aNode('c').on('older'),
  )
  const passed = { ...about, state: 'Passed', since: stamp(since), askedAt: stamp(noon - minute) } as const
  return { ...pool, memory: { ...pool.memory, gates: [passed] } }
}

test('a workloads gate records again before the wave after one that it has passed, also where a node of that has the target', () => {
  const decision = decide(inSecondWave(noon - 5 * minute), noon)

  expect(asked(decision)).toMatchObject([{ question: 'before', wave: 'rest' }])
})

test('a workloads gate does not record what the target has broken in its later wave when the record of that is lost', () => {
  const decision = decide(inSecondWave(noon - minute / 2), noon)

  expect(asked(decision)).toEqual([])
  expect(decision.status.gates).toMatchObject([{ state: 'Passed' }, { wave: 'rest', state: 'Recorded', before: [] }])
})

/** The first try failed at another gate after its canary; then a commit gave the pool this one. */
function failedBeforeItCame(records: PoolSnapshot['memory']['gates'] = []): PoolSnapshot {
  const pool = afterCanary([aGate('slo')], { onFailure: 'Halt' })
  const failed = remembering(pool, passing(pool, [{ at: noon + 1, says: answer('Failed', noon) }]))
  const memory = { ...failed.memory, gates: [...records, ...(failed.memory.gates ?? [])] }
  return { ...failed, memory, policy: { ...pool.policy, gates: [apps] }, controls: { retry: 'new' } }
}

test('a retry does not record what its canary has broken in the first try when a commit adds the gate between the two', () => {
  const decision = decide(failedBeforeItCame(), noon + minute)

  expect(asked(decision)).toMatchObject([{ question: 'after', wave: 'canary', before: [] }])
  expect(decision.status.gates).toMatchObject([unknown])
})

test('a retry records what is so before it when its canary had passed the gate in the first try', () => {
  const passed = { ...about, state: 'Passed', since: stamp(since), askedAt: stamp(noon - minute) } as const
  const retried = failedBeforeItCame([passed])
  const first = decide(retried, noon + minute)
  const second = decide({ ...retried, memory: first.status }, noon + minute + 1)

  expect(asked(first)).toMatchObject([{ question: 'before', wave: 'canary' }])
  expect(first.status.gates).toMatchObject([
    { name: 'apps', state: 'Passed' },
    { name: 'apps', state: 'Recording' },
  ])
  expect(second.status.gates).toEqual(first.status.gates)
})

test('a retry records before a later wave when the first try had passed the gate after that', () => {
  const gate = aGate('apps', { check: { kind: 'workloads' }, after: ['early'] })
  const inWaves = [aWave('canary', 1), aWave('early', 1), aWave('rest', '100%')]
  const wave = { index: 2, count: 3, name: 'early', opened: ['canary', 'early'] }
  const history = [aRollout('new', { startedAt: noon - minute }), { ...aRollout('new', { result: 'Halted', startedAt: since }) }]
  const [a, b] = nodes('a', 'b').map((node) => node.on('new', { at: noon - 5 * minute }))
  const again = aNode('c').on('new', { at: noon - minute / 2 })
  const pool = aPool({ stable: 'older', history, waves: inWaves, gates: [gate], wave })
  const members = pool.with(a as NodeDraft, b as NodeDraft, again, aNode('d').on('older'))
  const passed = { ...about, wave: 'early', state: 'Passed', since: stamp(since), askedAt: stamp(noon - 4 * minute) } as const
  const decision = decide({ ...members, memory: { ...members.memory, gates: [passed] } }, noon)

  expect(asked(decision)).toMatchObject([{ question: 'before', wave: 'early' }])
})

/** `new` came, then `next`, of which `c` has what it brought, then `new` again: `a` has had that since. */
function comesAgain(gates: readonly GateStatus[]): PoolSnapshot {
  const history = [
    aRollout('next', { result: 'Superseded', startedAt: noon - 8 * minute }),
    aRollout('new', { result: 'Superseded', startedAt: since }),
    aRollout('older', { result: 'Completed', startedAt: since - minute }),
  ]
  const pool = aPool({ head: 'new', stable: 'older', history, waves, gates: [apps] }).with(
    aNode('a').on('new', { at: noon - 9 * minute }),
    aNode('b').on('older'),
    aNode('c').on('next', { at: noon - 7 * minute }),
  )
  return { ...pool, memory: { ...pool.memory, gates } }
}

const ofNext = {
  ...about,
  revision: 'next',
  rollout: stamp(noon - 8 * minute),
  state: 'Recorded',
  since: stamp(noon - 8 * minute),
} as const

test('a workloads gate does not record what a commit has broken that comes again after another one', () => {
  const record = { ...ofNext, before: ['Deployment shop/web 1'], recordedAt: stamp(noon - 8 * minute), begun: true } as const

  const decision = decide(comesAgain([record]), noon)

  expect(selected(decision)).toEqual([])
  expect(decision.status.gates).toMatchObject([{ revision: 'next' }, { revision: 'new', ...unknown }])
})

test('a workloads gate records again where it had no record of an older commit, and a node of a later wave has that', () => {
  const pool = comesAgain([{ ...ofNext, before: [], begun: true }])
  const members = pool.nodes.map((node) => (node.name === 'a' ? aNode('a').on('older') : node))

  expect(asked(decide({ ...pool, nodes: members }, noon))).toMatchObject([{ question: 'before' }])
  expect(asked(decide({ ...pool, nodes: members }, noon))[0]?.before).toBeUndefined()
})

test('a workloads gate does not record what a commit has broken that comes again after another one, which had passed the gate', () => {
  const passed = { ...ofNext, state: 'Passed', askedAt: stamp(noon - 6 * minute) } as const

  const decision = decide(comesAgain([passed]), noon)

  expect(selected(decision)).toEqual([])
  expect(decision.status.gates?.at(-1)).toMatchObject({ revision: 'new', ...unknown })
})
