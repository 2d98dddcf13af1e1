import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { checkHash } from '../../../src/rollout/gates/gate-records.ts'
import type { AskGate, Decision } from '../../../src/rollout/model/decision.ts'
import type { Instant } from '../../../src/rollout/model/instant.ts'
import type { GatePolicy } from '../../../src/rollout/model/policy.ts'
import type { GateAnswer, PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { condition, remembering, selected, verdict } from '../builders/decisions.ts'
import { hour, minute, noon, stamp } from '../builders/instants.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aGate, aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

const since = noon - 10 * minute
const waves = [aWave('canary', 1), aWave('rest', '100%')]
const apps = aGate('apps', { check: { kind: 'workloads' } })

/** The canary `a` is done, `b` and `c` are not. */
function afterCanary(gates: readonly GatePolicy[], more: PoolOptions = {}): PoolSnapshot {
  const old = nodes('b', 'c').map((node) => node.on('older'))
  return aPool({ stable: 'older', since, waves, gates, ...more }).with(aNode('a').on('new', { at: noon - 5 * minute }), ...old)
}

function asked({ actions }: Decision): AskGate[] {
  return actions.filter((action) => action.kind === 'askGate')
}

function answer(verdict: GateAnswer['verdict'], at: Instant, more: Partial<GateAnswer> = {}): GateAnswer {
  const about = { gate: 'slo', wave: 'canary', revision: 'new', rollout: stamp(since), question: 'after' } as const
  const { check } = more.gate === 'apps' ? apps : aGate('slo')
  return { ...about, check: checkHash(check), at, verdict, message: verdict, ...more }
}

/** One pass after another; each writes its status. */
function passing(pool: PoolSnapshot, steps: readonly { readonly at: Instant; readonly says?: GateAnswer }[]): Decision {
  let [current, decision] = [pool, decide(pool, noon)]
  for (const { at, says } of steps) {
    current = { ...remembering(current, decision), ...(says && { gateAnswers: [says] }) }
    decision = decide(current, at)
  }
  return decision
}

test('a wave that waits for a gate does not soak again when the clock jumps, and a pressure since then fails no node', () => {
  const soaks = { waves: [aWave('canary', 1, { soak: minute }), aWave('rest', '100%')] }
  const pool = afterCanary([aGate('slo')], soaks)
  const [canary, ...others] = pool.nodes
  const before = decide(pool, noon)
  const pressed = { ...canary, pressures: [{ type: 'DiskPressure', since: noon + 2 * minute }] } as const
  const jumped = {
    ...remembering(pool, before),
    nodes: [pressed, ...others] as PoolSnapshot['nodes'],
    steadySince: noon + 2 * minute,
  }
  const after = decide(jumped, noon + 2 * minute)

  expect(before.status.wave?.soakedAt).toBe(stamp(noon - 4 * minute))
  expect(verdict(after)).toMatchObject({ Reconciling: 'True WaitingForGate' })
  expect(after.status.rejected).toEqual([])
})

test('a wave that has soaked by a clock which has been put back since has soaked by now: what soaks after that begins again when the clock jumps', () => {
  const waves = [aWave('canary', 1, { soak: 10 * minute }), aWave('rest', '100%')]
  const wave = { index: 1, count: 2, name: 'canary', opened: ['canary'], soakedAt: stamp(noon + hour) }
  const pool = aPool({ head: 'new', stable: 'old', since: noon - hour, gates: [aGate('slo')], waves, wave })
  const [other, canary] = [aNode('b').on('old'), aNode('a').on('new', { at: noon - 11 * minute })]
  const back = decide({ ...pool.with(canary, other), steadySince: noon }, noon)
  const again = pool.with(aNode('a').on('new', { at: noon + minute }), other)
  const jumped = decide({ ...remembering(again, back), steadySince: noon + 5 * minute }, noon + 12 * minute)

  expect(verdict(back)).toMatchObject({ Reconciling: 'True WaitingForGate' })
  expect(back.status.wave?.soakedAt).toBe(stamp(noon))
  expect(verdict(jumped)).toMatchObject({ Reconciling: 'True Soaking' })
})

test('a wave that waits for a gate does not soak again when the clock jumps and that of its node is a day ahead', () => {
  const soaks = { waves: [aWave('canary', 1, { soak: 10 * minute }), aWave('rest', '100%')] }
  const canary = aNode('a').on('new', { at: noon - 50 * minute, since: noon + 24 * hour })
  const pool = aPool({ head: 'new', stable: 'old', since: noon - hour, gates: [aGate('slo')], ...soaks }).with(
    canary,
    aNode('b').on('old'),
  )
  const before = decide(pool, noon)
  const jumped = decide({ ...remembering(pool, before), steadySince: noon + minute }, noon + 2 * minute)

  expect(verdict(before)).toMatchObject({ Reconciling: 'True WaitingForGate' })
  expect(verdict(jumped)).toMatchObject({ Reconciling: 'True WaitingForGate' })
})

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

test('a gate that has not held is asked again after its interval, and a pass is due then', () => {
  const pool = afterCanary([aGate('slo')])

  const waiting = passing(pool, [{ at: noon + 1000, says: answer('NotPassed', noon + 1000) }])

  expect(asked(waiting)).toEqual([])
  expect(waiting.wakeAt).toBe(noon + 31_000)
  expect(asked(passing(pool, [{ at: noon + 1000, says: answer('NotPassed', noon + 1000) }, { at: noon + 31_000 }]))).toHaveLength(
    1,
  )
})

test('a gate that cannot be asked is not passed, says why, and is asked again with backoff', () => {
  const pool = afterCanary([aGate('slo')])
  const at = [noon, noon + 5_000, noon + 15_000, noon + 35_000, noon + 65_000]
  const steps = at.map((instant) => ({ at: instant, says: answer('Unanswered', instant, { message: 'connection refused' }) }))

  expect(steps.map((_, i) => passing(pool, steps.slice(0, i + 1)).wakeAt)).toEqual([
    noon + 5_000,
    noon + 15_000,
    noon + 35_000,
    noon + 65_000,
    noon + 95_000,
  ])
  expect(condition(passing(pool, steps), 'Ready').message).toContain('gate "slo" after "canary": connection refused')
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

test.each(['NotPassed', 'Unanswered'] as const)('a gate that is %s has failed when it still is after its timeout', (says) => {
  const pool = afterCanary([aGate('slo')])
  const [before, after] = [noon + 5 * minute - 1, noon + 5 * minute]

  expect(passing(pool, [{ at: before, says: answer(says, before) }]).status.rejected).toEqual([])

  const failed = passing(pool, [{ at: after, says: answer(says, after, { message: '0.05 is above 0.01' }) }])

  expect(failed.status).toMatchObject({
    target: { revision: 'older' },
    rejected: [{ revision: 'new' }],
    gates: [{ state: 'Failed' }],
  })
  expect(failed.status.history[1]).toMatchObject({
    result: 'RolledBack',
    message: 'gate "slo" after "canary": 0.05 is above 0.01',
  })
  expect(failed.events.map(({ reason }) => reason)).toEqual(
    ['GateFailed', 'RolledBack', 'RolloutStarted', 'WaveOpened'].slice(0, failed.events.length),
  )
  expect(selected(failed)).toEqual(['a'])
})

test('time alone fails no gate: it is asked once more', () => {
  const pool = afterCanary([aGate('slo')])

  const late = passing(pool, [{ at: noon + hour }])

  expect(asked(late)).toHaveLength(1)
  expect(selected(passing(pool, [{ at: noon + hour, says: answer('Passed', noon + hour) }])).toSorted()).toEqual(['b', 'c'])
})

test('a clock that is put forward fails no gate', () => {
  const pool = { ...afterCanary([aGate('slo')]), steadySince: noon + hour }
  const says = answer('NotPassed', noon + hour)

  expect(passing(pool, [{ at: noon + hour, says }]).status.rejected).toEqual([])
  expect(passing({ ...pool, steadySince: noon }, [{ at: noon + hour, says }]).status.rejected).toHaveLength(1)
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

test('a retry asks the gate again, whatever it said in the run before', () => {
  const pool = afterCanary([aGate('slo')], { onFailure: 'Halt' })
  const failed = passing(pool, [{ at: noon + 1, says: answer('Failed', noon) }])
  const retried = { ...remembering(pool, failed), controls: { retry: 'new' }, gateAnswers: [answer('Failed', noon)] }

  const again = decide(retried, noon + minute)

  expect(again.status.rejected).toEqual([])
  expect(again.status.history[0]).toMatchObject({ result: 'Running', startedAt: stamp(noon + minute) })
})

test('an answer about another run, wave or gate, or from before the wait, opens nothing', () => {
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

test('a gate that is taken out of the repository holds nothing up any more', () => {
  const pool = afterCanary([aGate('slo')])
  const { gates, ...policy } = pool.policy

  expect(selected(decide({ ...remembering(pool, decide(pool, noon)), policy }, noon + 1)).toSorted()).toEqual(['b', 'c'])
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

test('a gate is not asked after a wave with a selector that names no node', () => {
  const pool = aPool(inTest).with(aNode('a').on('new', { at: noon - 9 * minute }), aNode('b').on('old'))

  expect(selected(decide(pool, noon))).toEqual(['b'])
})
