import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { remembering, selected } from '../builders/decisions.ts'
import { hour, minute, noon, stamp } from '../builders/instants.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aGate, aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'
import { afterCanary, answer, apps, asked, passing, since, waves } from './some-gates.ts'

test('a retry asks the gate again, whatever it said in the rollout before', () => {
  const pool = afterCanary([aGate('slo')], { onFailure: 'Halt' })
  const failed = passing(pool, [{ at: noon + 1, says: answer('Failed', noon) }])
  const retried = { ...remembering(pool, failed), controls: { retry: 'new' }, gateAnswers: [answer('Failed', noon)] }

  const again = decide(retried, noon + minute)

  expect(again.status.rejected).toEqual([])
  expect(again.status.history[0]).toMatchObject({ result: 'Running', startedAt: stamp(noon + minute) })
})

test.each(['a', 'b', 'c'])(
  'a retry asks the gate again when "%s" is the node that has the commit, and no other node gets that',
  (canary) => {
    const members = nodes('a', 'b', 'c').map((node) =>
      node.name === canary ? node.on('new', { at: noon - 5 * minute }) : node.on('older'),
    )
    const pool = aPool({ stable: 'older', since, waves, gates: [aGate('slo')], onFailure: 'Halt' }).with(...members)
    const failed = passing(pool, [{ at: noon + 1, says: answer('Failed', noon) }])
    const retried = decide({ ...remembering(pool, failed), controls: { retry: 'new' } }, noon + minute)

    expect(selected(retried)).toEqual([])
    expect(asked(retried)).toMatchObject([{ question: 'after', wave: 'canary', nodes: [canary] }])
  },
)

test('a retry asks the gate again, and gives no other node the commit, when a commit that renders the same came during the first try', () => {
  const canary = aNode('a').on('new', { at: noon - 5 * minute, revision: 'readme' })
  const history = [{ ...aRollout('new', { startedAt: since }), commits: ['readme'] }, aRollout('older', { result: 'Completed' })]
  const pool = aPool({ commit: 'readme', stable: 'older', history, waves, gates: [aGate('slo')], onFailure: 'Halt' })
  const members = pool.with(canary, ...nodes('b', 'c').map((node) => node.on('older')))
  const failed = passing(members, [{ at: noon + 1, says: answer('Failed', noon) }])
  const retried = decide({ ...remembering(members, failed), controls: { retry: 'readme' } }, noon + minute)

  expect(failed.status.history[0]).toMatchObject({ result: 'Halted' })
  expect(selected(retried)).toEqual([])
  expect(asked(retried)).toMatchObject([{ question: 'after', wave: 'canary', nodes: ['a'] }])
})

const soaking = [aWave('canary', 1, { soak: 10 * minute }), aWave('rest', '100%')]
const version = { version: 'v1.37.0' }

test.each([
  [
    'is under pressure since its soak',
    aNode('a')
      .on('new', { at: noon - 20 * minute })
      .under('DiskPressure', noon - 15 * minute),
  ],
  [
    'does not run the version of the commit',
    aNode('a')
      .on('new', { at: noon - 20 * minute })
      .running('1.36.3'),
  ],
])('a retry tries another node when the one that has the commit %s', (_, canary) => {
  const wants = { a: version, b: version, c: version }
  const pool = aPool({ stable: 'older', since: noon - hour, waves: soaking, onFailure: 'Halt', wants })
  const members = pool.with(canary, ...nodes('b', 'c').map((node) => node.on('older')))
  const halted = decide(members, noon)
  const retried = decide({ ...remembering(members, halted), controls: { retry: 'new' } }, noon + minute)

  expect(halted.status.history[0]).toMatchObject({ result: 'Halted' })
  expect(selected(retried)).toHaveLength(1)
})

test('a retry gives no other node the commit when the one that has it is not Ready for a moment', () => {
  const pool = afterCanary([aGate('slo')], { onFailure: 'Halt' })
  const failed = passing(pool, [{ at: noon + 1, says: answer('Failed', noon) }])
  const retried = decide({ ...remembering(pool, failed), controls: { retry: 'new' } }, noon + minute)
  const [, ...others] = pool.nodes
  const blinking = aNode('a')
    .on('new', { at: noon - 5 * minute })
    .notReady(noon + minute)
  const whileDown = (now: number) => decide({ ...pool, nodes: [blinking, ...others], memory: retried.status }, now)

  expect(selected(whileDown(noon + 1.5 * minute))).toEqual([])
  expect(selected(whileDown(noon + 2.5 * minute))).toHaveLength(1)
})

test('a retry goes on with the nodes of the first try in their waves, and the one that failed is tried again in its own', () => {
  const inWaves = [aWave('canary', 1), aWave('early', 2), aWave('rest', '100%')]
  const wave = { index: 2, count: 3, name: 'early', opened: ['canary', 'early'] }
  const pool = aPool({ stable: 'older', since, waves: inWaves, wave, onFailure: 'Halt' }).with(
    aNode('a').on('new', { at: noon - 5 * minute }),
    aNode('b').on('new', { at: noon - 4 * minute }),
    aNode('c').rolledBackFrom('new', { at: noon - 4 * minute }),
    ...nodes('d', 'e').map((node) => node.on('older')),
  )
  const halted = remembering(pool, decide(pool, noon))
  const retried = decide({ ...halted, controls: { retry: 'new' } }, noon + minute)

  expect(halted.memory.rejected).toMatchObject([{ revision: 'new' }])
  expect(retried.status.wave).toMatchObject({ name: 'early' })
  expect(selected(retried)).toEqual(['c'])
})

test('an answer about another rollout, wave or gate, or from before the wait, opens nothing', () => {
  const pool = afterCanary([aGate('slo')])
  const others = [
    { rollout: stamp(noon) },
    { revision: 'another of the same instant' },
    { wave: 'rest' },
    { gate: 'other' },
    { question: 'before' as const },
    { at: noon - 1 },
  ]

  for (const other of others)
    expect(selected(passing(pool, [{ at: noon + 1, says: { ...answer('Passed', noon), ...other } }]))).toEqual([])
})

test('a target that the pool has run through before passes no gate again', () => {
  const history = [
    aRollout('bad', { result: 'Completed' }),
    aRollout('good', { result: 'Completed', startedAt: noon - 2 * hour }),
  ]
  const pool = aPool({ head: 'good', stable: 'bad', history, waves, gates: [aGate('slo'), apps] }).with(
    ...nodes('a', 'b').map((node) => node.on('bad')),
  )

  expect(selected(decide(pool, noon)).toSorted()).toEqual(['a', 'b'])
  expect(asked(decide(pool, noon))).toEqual([])
})

test('a gate that is taken out of the repository holds nothing up any more', () => {
  const pool = afterCanary([aGate('slo')])
  const { gates, ...policy } = pool.policy

  expect(selected(decide({ ...remembering(pool, decide(pool, noon)), policy }, noon + 1)).toSorted()).toEqual(['b', 'c'])
})

test('what a gate said of another commit counts for nothing, also where both rollouts began at one instant', () => {
  const passed = { name: 'slo', wave: 'canary', rollout: stamp(since), state: 'Passed', since: stamp(since) } as const
  const pool = afterCanary([aGate('slo')])
  const after = (revision: string) => decide({ ...pool, memory: { ...pool.memory, gates: [{ ...passed, revision }] } }, noon)

  expect(selected(after('bad'))).toEqual([])
  expect(after('bad').status.gates).toMatchObject([{ revision: 'new', state: 'Waiting' }])
  expect(selected(after('new')).toSorted()).toEqual(['b', 'c'])
})

test('what a gate said still counts when a commit of equal content arrives', () => {
  const equal = afterCanary([aGate('slo')], { commit: 'a-typo-in-the-README' })
  const passed = passing(equal, [{ at: noon + 1000, says: answer('Passed', noon + 500) }])

  expect(selected(passed).toSorted()).toEqual(['b', 'c'])
})

/** `a` is done; the gate that passed, or was about to, checks more since a commit that changes no content. */
function changed(pool: PoolSnapshot): PoolSnapshot {
  const check = { kind: 'nodeConditions', require: [], forbid: ['DiskPressure', 'PIDPressure'] } as const
  return { ...pool, policy: { ...pool.policy, gates: [aGate('slo', { check }), aGate('other')] } }
}

test('a gate counts no answer about its old check when a commit changes it while that is under way', () => {
  const before = afterCanary([aGate('slo'), aGate('other')])
  const pool = changed({ ...remembering(before, decide(before, noon)), gateAnswers: [answer('Passed', noon + 500)] })

  const decision = decide(pool, noon + 1000)

  expect(asked(decision).map(({ gate }) => gate)).toMatchObject([
    { name: 'slo', check: { forbid: ['DiskPressure', 'PIDPressure'] } },
    { name: 'other' },
  ])
  expect(decision.status.gates).toMatchObject([
    { name: 'slo', state: 'Waiting', since: stamp(noon + 1000) },
    { name: 'other', state: 'Waiting', since: stamp(noon) },
  ])
})

test('a gate that passed is asked again when a commit changes its check before the next wave opens', () => {
  const before = afterCanary([aGate('slo'), aGate('other')])
  const passed = decide(
    { ...remembering(before, decide(before, noon)), gateAnswers: [answer('Passed', noon + 500)] },
    noon + 1000,
  )

  const decision = decide(changed(remembering(before, passed)), noon + 2000)

  expect(passed.status.gates).toMatchObject([{ state: 'Passed' }, { state: 'Waiting' }])
  expect(decision.status.gates).toMatchObject([{ state: 'Waiting', since: stamp(noon + 2000) }, { state: 'Waiting' }])
})

test('a gate goes on, and its record is not written again, when an earlier release or CRD has no hash of the check', () => {
  const before = afterCanary([aGate('slo')])
  const pool = remembering(before, decide(before, noon))
  const gates = (pool.memory.gates ?? []).map(({ check: _, ...record }) => record)

  const seen = { ...pool, memory: { ...pool.memory, gates } }

  expect(decide(seen, noon + 1000).status.gates).toBe(gates)
  expect(decide({ ...seen, gateAnswers: [answer('Passed', noon + 500)] }, noon + 1000).status.gates).toMatchObject([
    { state: 'Passed', since: stamp(noon) },
  ])
})
