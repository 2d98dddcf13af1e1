import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Window } from '../../../src/calendar/window.ts'
import { decide } from '../../../src/rollout/decide.ts'
import type { Instant } from '../../../src/rollout/model/instant.ts'
import type { PodView } from '../../../src/rollout/model/node-view.ts'
import type { GateAnswer, PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { condition, remembering, selected, verdict } from '../builders/decisions.ts'
import { hour, minute, noon, stamp } from '../builders/instants.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aPod } from '../builders/pods.ts'
import { aGate, aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { afterCanary, answer, apps, asked, passing, since, waves } from './some-gates.ts'

test('the next wave stays closed until the gate is asked and has held', () => {
  const pool = afterCanary([aGate('slo')])

  const first = decide(pool, noon)

  expect(selected(first)).toEqual([])
  expect(asked(first)).toMatchObject([
    { question: 'after', wave: 'canary', revision: 'new', rollout: stamp(since), nodes: ['a'] },
  ])
  expect(verdict(first)).toEqual({
    Ready: 'False WaitingForGate',
    Reconciling: 'True WaitingForGate',
    Stalled: 'False WaitingForGate',
  })
  expect(condition(first, 'Ready').message).toBe(
    '1 of 3 nodes are at new; wave 1 of 2, "canary"; gate "slo" after "canary": not checked yet',
  )

  const passed = passing(pool, [{ at: noon + 1000, says: answer('Passed', noon + 500, { value: 0.5 }) }])

  expect(selected(passed).toSorted()).toEqual(['b', 'c'])
  expect(passed.status.gates).toEqual([
    {
      name: 'slo',
      wave: 'canary',
      revision: 'new',
      rollout: stamp(since),
      check: 'c5b75fdf892f1a59',
      state: 'Passed',
      since: stamp(noon),
      askedAt: stamp(noon + 500),
      value: 0.5,
      message: 'Passed',
    },
  ])
  expect(passed.events.map(({ reason, message }) => `${reason} ${message}`)).toEqual([
    'GatePassed new: gate "slo" after "canary": Passed',
    'WaveOpened wave 2 of 2, "rest", of new',
  ])
})

test('a pool is stalled when a workloads gate has no answer before a wave in the whole time of the gate', () => {
  const pool = aPool({ head: 'new', stable: 'older', since, waves, gates: [apps] }).with(aNode('a').on('older'))
  const unanswered = (at: Instant) => ({
    at,
    says: answer('Unanswered', at, {
      gate: 'apps',
      wave: 'canary',
      question: 'before',
      message: 'namespace "shopp" has no workloads',
    }),
  })
  const waiting = passing(pool, [unanswered(noon + 1000), unanswered(noon + 5 * minute - 1)])
  const overdue = passing(pool, [unanswered(noon + 1000), unanswered(noon + 5 * minute)])

  expect(verdict(waiting).Stalled).toBe('False WaitingForGate')
  expect(verdict(overdue)).toEqual({
    Ready: 'False WaitingForGate',
    Reconciling: 'False WaitingForGate',
    Stalled: 'True WaitingForGate',
  })
  expect(condition(overdue, 'Stalled').message).toContain('gate "apps" before "canary": namespace "shopp" has no workloads')
  expect(selected(overdue)).toEqual([])
})

test('a node that was drained for an older commit waits until a workloads gate has recorded what is so before its wave', () => {
  const drained = aNode('a')
    .assignedTo('next', { at: noon - 1000 })
    .drainedFor('next')
  const drains = { disruption: 'drain', pods: { a: [] } } as const
  const pool = aPool({ head: 'new', stable: 'older', since, waves, gates: [apps], ...drains }).with(
    drained,
    aNode('b').on('older'),
  )
  const recorded = { at: noon + 1000, says: answer('Passed', noon + 500, { gate: 'apps', question: 'before', unavailable: [] }) }

  expect(selected(decide(pool, noon))).toEqual([])
  expect(asked(decide(pool, noon))).toMatchObject([{ question: 'before', wave: 'canary' }])
  expect(selected(passing(pool, [recorded]))).toEqual(['a'])
})

/** The drain of `a` goes on. */
function drainedFor(digest: string, pods: readonly PodView[]): PoolSnapshot {
  return aPool({ head: 'new', stable: 'older', since, waves, gates: [apps], disruption: 'drain', pods: { a: pods } }).with(
    aNode('a').on('older').drainedFor(digest),
    aNode('b').on('older'),
  )
}

test('a node whose drain for an older commit goes on for a newer one waits until a workloads gate has recorded what is so before its wave', () => {
  const first = decide(drainedFor('next', [aPod('x')]), noon)
  const drained = remembering(drainedFor('new', []), first)
  const recorded = answer('Passed', noon + 500, { gate: 'apps', question: 'before', unavailable: [] })

  expect(first.actions).toMatchObject([{ kind: 'cordon', mark: { digest: 'new' } }, { kind: 'evict' }, { kind: 'askGate' }])
  expect(selected(decide(drained, noon + 1000))).toEqual([])
  expect(condition(decide(drained, noon + 1000), 'Reconciling')).toMatchObject({
    message: expect.stringContaining('gate "apps" before "canary": not checked yet'),
  })
  expect(selected(decide({ ...drained, gateAnswers: [recorded] }, noon + 1000))).toEqual(['a'])
})

test('a node that is drained for an older commit waits for the record of a workloads gate also when a pause comes before that', () => {
  const first = decide(drainedFor('next', [aPod('x')]), noon)
  const paused = { ...remembering(drainedFor('new', []), first), controls: { paused: 'a test' } }
  const during = decide(paused, noon + 1000)
  const resumed = { ...remembering(paused, during), controls: {} }
  const asks = decide(resumed, noon + hour)
  const about = { gate: 'apps', question: 'before' } as const
  const recorded = answer('Passed', noon + hour, { ...about, unavailable: ['Deployment shop/web 1'] })
  const noted = decide({ ...remembering(resumed, asks), gateAnswers: [recorded] }, noon + hour + 1)
  const late = noon + hour + 10 * minute
  const unanswered = answer('Unanswered', late, { ...about, message: 'namespace "shopp" has no workloads' })
  const overdue = decide({ ...remembering(resumed, asks), gateAnswers: [unanswered] }, late)

  expect([during, asks, overdue].flatMap(selected)).toEqual([])
  expect(asked(asks)).toMatchObject([{ question: 'before', wave: 'canary' }])
  expect(selected(noted)).toEqual(['a'])
  expect(noted.status.gates).toMatchObject([{ before: ['Deployment shop/web 1'], recordedAt: stamp(noon + hour) }])
  expect(condition(overdue, 'Stalled')).toMatchObject({
    status: 'True',
    reason: 'WaitingForGate',
    message: expect.stringContaining('gate "apps" before "canary": namespace "shopp" has no workloads'),
  })
})

test('a gate has its whole time again when a commit renames the wave after which it waits, and another one back', () => {
  const pool = afterCanary([aGate('slo')])
  const named = (from: PoolSnapshot, name: string): PoolSnapshot => {
    const wave = { index: 1, count: 2, name, opened: [name] }
    return {
      ...from,
      memory: { ...from.memory, wave },
      policy: { ...from.policy, waves: [aWave(name, 1), aWave('rest', '100%')] },
    }
  }
  const waiting = remembering(pool, passing(pool, [{ at: noon + 1, says: answer('NotPassed', noon + 1) }]))
  const renamed = named(waiting, 'pilot')
  const back = named(remembering(renamed, decide(renamed, noon + minute)), 'canary')

  expect(decide(back, noon + hour).status.gates).toMatchObject([{ wave: 'canary', state: 'Waiting', since: stamp(noon + hour) }])
})

test('a run completes only after the gates of its last wave', () => {
  const pool = aPool({ stable: 'older', since, gates: [aGate('slo')] }).with(aNode('a').on('new', { at: noon - minute }))

  expect(decide(pool, noon).status.stable?.revision).toBe('older')
  expect(passing(pool, [{ at: noon + 1, says: answer('Passed', noon, { wave: 'rest' }) }]).status).toMatchObject({
    stable: { revision: 'new' },
    gates: [{ state: 'Passed' }],
  })
})

test('a gate is asked after the waves that it names, and not after a wave without a node', () => {
  const empty = [aWave('canary', { rack: '9' }), aWave('rest', '100%')]

  expect(selected(decide(afterCanary([aGate('slo', { after: ['rest'] })]), noon)).toSorted()).toEqual(['b', 'c'])
  expect(
    selected(decide(aPool({ stable: 'older', since, waves: empty, gates: [aGate('slo')] }).with(aNode('b').on('older')), noon)),
  ).toEqual(['b'])
})

test('gates come before a promotion, so that their word is known to who promotes', () => {
  const manual = [aWave('canary', 1), aWave('rest', '100%', { manual: true })]
  const pool = afterCanary([aGate('slo')], { waves: manual })

  expect(condition(decide(pool, noon), 'Ready').reason).toBe('WaitingForGate')
  expect(condition(passing(pool, [{ at: noon + 1, says: answer('Passed', noon) }]), 'Ready').reason).toBe('WaitingForPromotion')
})

test.each([
  ['after a wave', 'after', [aGate('slo')], { gate: 'slo' }],
  ['before a wave', 'before', [apps], { gate: 'apps' }],
] as const)('a pause ends the questions to a gate %s, and no pass is due for them', (_, question, gates, about) => {
  const pool = afterCanary(gates)
  const waiting = passing(pool, [{ at: noon + 1000, says: answer('Unanswered', noon + 1000, { question, ...about }) }])
  const paused = { ...remembering(pool, waiting), controls: { paused: 'a test' } }

  expect(asked(decide(paused, noon + hour))).toEqual([])
  expect(decide(paused, noon + 2000).wakeAt).toBeUndefined()
})

test('time alone fails no gate: it is asked once more', () => {
  const pool = afterCanary([aGate('slo')])

  const late = passing(pool, [{ at: noon + hour }])

  expect(asked(late)).toHaveLength(1)
  expect(selected(passing(pool, [{ at: noon + hour, says: answer('Passed', noon + hour) }])).toSorted()).toEqual(['b', 'c'])
})

test('a gate that fails for good halts a pool that says so at once, and leaves its nodes', () => {
  const pool = afterCanary([aGate('slo')], { onFailure: 'Halt' })

  const failed = passing(pool, [{ at: noon + 1, says: answer('Failed', noon, { message: 'Job "x" failed' }) }])

  expect(selected(failed)).toEqual([])
  expect(verdict(failed).Stalled).toBe('True Halted')
  expect(condition(failed, 'Stalled').message).toContain(
    'new failed on gate "slo" after "canary": Job "x" failed; no node changes',
  )
})

/** The second of three waves is open: it names its nodes, and a gate comes after it. */
const inTest: PoolOptions = {
  stable: 'old',
  since,
  waves: [aWave('canary', 1), aWave('test', { tier: 'test' }), aWave('rest', '100%')],
  gates: [aGate('slo', { after: ['test'] })],
  wave: { index: 2, count: 3, name: 'test' },
}

test('a gate that was asked has to pass though the last node of its wave is deleted', () => {
  const pool = aPool(inTest).with(
    aNode('a').on('new', { at: noon - 9 * minute }),
    aNode('t')
      .labelled({ tier: 'test' })
      .on('new', { at: noon - 5 * minute }),
    aNode('b').on('old'),
  )
  const first = remembering(pool, decide(pool, noon))
  const deleted = decide({ ...first, nodes: first.nodes.filter(({ name }) => name !== 't') }, noon + 1000)

  expect(selected(deleted)).toEqual([])
  expect(condition(deleted, 'Reconciling').reason).toBe('WaitingForGate')
})

test('no gate is asked while the pool is paused, and none loses time by it', () => {
  const pool = afterCanary([aGate('slo')])
  const paused = { ...remembering(pool, decide(pool, noon)), controls: { paused: '' } }

  const during = decide(paused, noon + minute)
  const resumed = decide({ ...remembering(paused, during), controls: {} }, noon + hour)

  expect(asked(during)).toEqual([])
  expect(during.status).toMatchObject({ gates: [], wave: { name: 'canary' } })
  expect(resumed.status.gates).toMatchObject([{ state: 'Waiting', since: stamp(noon + hour) }])
})

test('a gate waits no longer when a node of the wave goes down, and begins again when the wave is done again', () => {
  const pool = afterCanary([aGate('slo')])
  const first = remembering(pool, decide(pool, noon))
  const [a, ...others] = first.nodes
  const down = {
    ...first,
    nodes: [
      aNode('a')
        .on('new', { at: noon - 5 * minute })
        .notReady(noon),
      ...others,
    ],
  }

  const during = decide(down, noon + minute)

  expect(asked(during)).toEqual([])
  expect(
    decide({ ...remembering(down, during), nodes: [...(a ? [a] : []), ...others] }, noon + 2 * minute).status.gates,
  ).toMatchObject([{ state: 'Waiting', since: stamp(noon + 2 * minute) }])
})

test('no node is taken before it is noted which workloads were unavailable', () => {
  const pool = aPool({ stable: 'older', waves, gates: [apps] }).with(...nodes('a', 'b').map((node) => node.on('older')))
  const rollout = stamp(noon)
  const notes = {
    ...answer('Passed', noon + 1, { gate: 'apps' }),
    rollout,
    question: 'before' as const,
    unavailable: ['Deployment shop/web'],
  }

  const first = decide(pool, noon)
  const refused = passing(pool, [{ at: noon + 1, says: { ...notes, verdict: 'Unanswered', message: 'deployments: Forbidden' } }])
  const noted = passing(pool, [{ at: noon + 1, says: notes }])

  expect(selected(first)).toEqual([])
  expect(asked(first)).toMatchObject([{ question: 'before', wave: 'canary' }])
  expect(condition(refused, 'Ready')).toMatchObject({ reason: 'WaitingForGate' })
  expect(condition(refused, 'Ready').message).toContain('gate "apps" before "canary": deployments: Forbidden')
  expect(selected(noted)).toHaveLength(1)
  expect(noted.status.gates).toMatchObject([{ state: 'Recorded', before: ['Deployment shop/web'] }])
})

test('what is unavailable before a wave is noted when the wave can begin, and again when a window or a pause put it off', () => {
  const nights: readonly Window[] = [{ action: 'allow', schedule: '0 22 * * *', duration: 6 * hour, timeZone: 'UTC' }]
  const old = nodes('a', 'b').map((node) => node.on('older'))
  const pool = aPool({ stable: 'older', waves, gates: [apps], windows: nights }).with(...old)
  const noted = (at: number) => ({
    ...answer('Passed', at, { gate: 'apps' }),
    rollout: stamp(noon),
    question: 'before' as const,
    unavailable: ['Deployment shop/web 1'],
  })
  const tonight = noon + 10 * hour

  const closed = decide(pool, noon)
  const opens = decide(remembering(pool, closed), tonight)
  const paused = { ...remembering(pool, opens), controls: { paused: 'storm' } }
  const putOff = decide({ ...remembering(paused, decide(paused, tonight)), gateAnswers: [noted(tonight)] }, tonight + 1)
  const resumed = decide({ ...remembering(pool, putOff), controls: {} }, tonight + hour)
  const begun = decide({ ...remembering(pool, resumed), gateAnswers: [noted(tonight + hour)] }, tonight + hour + 1)

  expect([asked(closed), asked(putOff)]).toEqual([[], []])
  expect(asked(opens)).toMatchObject([{ question: 'before', wave: 'canary' }])
  expect(asked(resumed)).toMatchObject([{ question: 'before', wave: 'canary' }])
  expect([closed, opens, putOff, resumed].flatMap(selected)).toEqual([])
  expect(selected(begun)).toHaveLength(1)
  const [canary = ''] = selected(begun)
  const changed = old.map((node) => (node.name === canary ? node.assignedTo('new', { at: tonight + hour + 1 }) : node))
  const late = decide({ ...remembering(pool, begun), nodes: changed, controls: { paused: 'storm' } }, tonight + 2 * hour)
  expect(late.status.gates).toMatchObject([{ state: 'Recorded', recordedAt: stamp(tonight + hour) }])
})

test.each([
  [
    'at work',
    aNode('a')
      .assignedTo('new', { at: noon - minute })
      .reporting('Applying'),
  ],
  ['done', aNode('a').on('new', { at: noon - 5 * minute })],
])('what was unavailable before a wave stays noted when its only node, which is %s, goes during a pause', (_, canary) => {
  const before = aPool({ stable: 'older', since, waves, gates: [apps] }).with(...nodes('a', 'b').map((node) => node.on('older')))
  const noted = answer('Passed', noon, { gate: 'apps', question: 'before', unavailable: ['Deployment shop/web 1'] })
  const recorded = remembering(before, passing(before, [{ at: noon + 1, says: noted }]))
  const begun = { ...recorded, nodes: [canary, aNode('b').on('older')] }

  const paused = { ...begun, controls: { paused: 'the canary is broken' }, gateAnswers: [] }
  const later = remembering(paused, decide(paused, noon + minute))
  const gone = { ...later, nodes: later.nodes.filter(({ name }) => name !== 'a') }

  expect(decide(gone, noon + 2 * minute).status.gates).toMatchObject([
    { state: 'Recorded', before: ['Deployment shop/web 1'], recordedAt: stamp(noon), begun: true },
  ])
})

test('what was noted before the wave comes with the question after it, also to another process', () => {
  const pool = afterCanary([apps])
  const noted = {
    name: 'apps',
    wave: 'canary',
    revision: 'new',
    rollout: stamp(since),
    state: 'Recorded',
    since: stamp(since),
  } as const
  const memory = { ...pool.memory, gates: [{ ...noted, before: ['DaemonSet kube-system/cni'] }] }

  const decision = decide({ ...pool, memory }, noon)

  expect(asked(decision)).toMatchObject([{ question: 'after', before: ['DaemonSet kube-system/cni'] }])
  expect(decision.status.gates).toMatchObject([{ state: 'Waiting', since: stamp(noon), before: ['DaemonSet kube-system/cni'] }])
})

test('a wave opens exactly when every gate has held, whatever they said before and in which order', () => {
  const verdicts = fc.constantFrom('Passed', 'NotPassed', 'Unanswered') satisfies fc.Arbitrary<GateAnswer['verdict']>
  const said = fc.array(fc.record({ gate: fc.constantFrom('one', 'two'), verdict: verdicts }), { maxLength: 12 })
  fc.assert(
    fc.property(said, (answers) => {
      const pool = afterCanary([aGate('one', { timeout: hour }), aGate('two', { timeout: hour })])
      const steps = answers.map(({ gate, verdict }, i) => ({
        at: noon + i * minute,
        says: answer(verdict, noon + i * minute, { gate }),
      }))
      const held = (gate: string) => answers.some((one) => one.gate === gate && one.verdict === 'Passed')
      expect(selected(passing(pool, steps)).length > 0 || passing(pool, steps).status.wave?.index === 2).toBe(
        held('one') && held('two'),
      )
    }),
  )
})

test('a gate is not asked after a wave with a selector that names no node', () => {
  const pool = aPool(inTest).with(aNode('a').on('new', { at: noon - 9 * minute }), aNode('b').on('old'))

  expect(selected(decide(pool, noon))).toEqual(['b'])
})
