import { expect, test } from 'vitest'
import { assess, decide } from '../../../src/rollout/decide.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import { condition, phases, remembering, verdict } from '../builders/decisions.ts'
import { hour, minute, noon, stamp } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aPod } from '../builders/pods.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'
import { ASKED, CANARY, deciding, deeds, done, IN_WINDOWS, NEVER } from './some-reboots.ts'

test('node that an operator asked to reboot is cordoned, and waits until its pods are gone', () => {
  const decision = deciding({ maxUnavailable: 1 }, done('a').toReboot('1'), done('b'))

  expect(deeds(decision)).toEqual(['cordon a'])
  expect(phases(decision)).toEqual({ Current: 1, Waiting: 1 })
  expect(decision.status.reboots).toEqual([{ node: 'a', state: 'Waiting', because: 'new firmware', who: 'ada', at: ASKED }])
})

test('node whose pods are gone is assigned the content that it has, with the grant and the boot that is to end', () => {
  const drained = done('a').toReboot('1').drainedFor('new')
  const decision = deciding({ pods: { a: [] } }, drained)

  expect(decision.actions.find(({ kind }) => kind === 'assign')).toEqual({
    kind: 'assign',
    node: 'a',
    revision: 'new',
    digest: 'new',
    grant: 'reboot',
    reboot: { boot: '1', at: ASKED },
    at: noon,
  })
})

test('node with pods that may not go is not rebooted', () => {
  const draining = done('a').toReboot('1').drainedFor('new')

  expect(deeds(deciding({ pods: { a: [aPod('cart', { emptyDir: true })] } }, draining))).toEqual([])
})

test('node that was ordered to reboot is not ordered again, nor uncordoned, before it has', () => {
  const ordered = done('a').orderedToReboot('new', { boot: '1', at: ASKED }).toReboot('1').drainedFor('new')
  const underway = ordered.reporting('Applying', { error: { reason: 'Rebooting', message: 'the machine reboots' } })
  const decision = deciding({}, underway.notReady(), done('b'))

  expect(deeds(decision)).toEqual([])
  expect(phases(decision)).toEqual({ Current: 1, Rebooting: 1 })
  expect(verdict(decision).Reconciling).toBe('True Rebooting')
  expect(condition(decision, 'Reconciling').message).toBe(`1 of 2 nodes are at new; "a" reboots since ${stamp(noon - minute)}`)
})

test('node that came back with another boot is uncordoned, and its request is removed', () => {
  const back = done('a')
    .orderedToReboot('new', { boot: '1', at: ASKED })
    .reporting('Applied', { since: noon - 1000 })
    .booted('2')
    .toReboot('1')
    .drainedFor('new')
  const decision = deciding({}, back)

  expect(deeds(decision)).toEqual(['uncordon a', 'clearReboot a'])
  expect(phases(decision)).toEqual({ Current: 1 })
  expect(decision.status.reboots).toBeUndefined()
})

test('reboots keep to the budget, and a free place is used while another node reboots', () => {
  const nodes = ['a', 'b', 'c'].map((name) => done(name).toReboot('1'))

  expect(deeds(deciding({ maxUnavailable: 2 }, ...nodes))).toHaveLength(2)
})

test('reboots wait for a window, and for the end of a pause', () => {
  const windows = [{ action: 'allow', schedule: '0 22 * * *', duration: hour, timeZone: 'UTC' }] as const
  const paused = deciding({ controls: { paused: 'storm' } }, done('a').toReboot('1'))

  expect(deeds(paused)).toEqual([])
  expect(verdict(paused).Stalled).toBe('True Paused')
  const closed = deciding({ windows }, done('a').toReboot('1'))
  expect(deeds(closed)).toEqual([])
  expect(verdict(closed).Reconciling).toBe('True WaitingForWindow')
})

test('host that was back only after the time for its reboot keeps the order, which says when it was rebooted last', () => {
  const late = aNode('a')
    .orderedToReboot('new', { boot: '1' }, { at: noon - hour })
    .booted('2')
    .readyAgain(noon - minute)
    .reporting('Applying', { error: { reason: 'Rebooting', message: 'the machine reboots' } })

  expect(deeds(deciding({ reboot: IN_WINDOWS }, late))).toEqual([])
})

test('assessment that took over a host that rests after its reboot is made again when the day is over', () => {
  const node = done('a')
    .orderedToReboot('new', { boot: '1' }, { at: noon - hour })
    .reporting('Applied', { since: noon - hour })
    .booted('2')
    .requiringReboot('2')
  const pool = aPool({ head: 'new', stable: 'new', disruption: 'none', reboot: IN_WINDOWS }).with(node)
  const before = assess(pool, noon)

  expect(assess(pool, noon + 23 * hour, before).state.members[0]?.reboot).toEqual({ boot: '2' })
})

test('host that says of an earlier boot that it has to end is not rebooted', () => {
  expect(deeds(deciding({ reboot: IN_WINDOWS }, done('a').booted('2').requiringReboot('1')))).toEqual([])
})

test('policy of a commit reboots no host that an administrator has forbidden to reboot, and an operator does', () => {
  const ceiling = { rules: [{ place: 'spec.rules[0]', disruption: 'drain' }] } as const
  const pool = (node: NodeView) => ({
    ...aPool({ head: 'new', stable: 'new', disruption: 'none', reboot: IN_WINDOWS }).with(node),
    ceiling,
  })

  expect(deeds(decide(pool(done('a').requiringReboot('1')), noon))).toEqual([])
  expect(deeds(decide(pool(done('a').toReboot('1')), noon))).toEqual(['cordon a'])
})

test.each([
  ['no rule speaks of disruption', [{}], true],
  ['one of two rules forbids it', [{ disruption: 'reboot' }, { disruption: 'drain' }], false],
  ['both rules allow it', [{ disruption: 'reboot' }, {}], true],
  ['the rule that forbids it is for other nodes', [{ disruption: 'drain', nodeSelector: { matchLabels: { gpu: 'yes' } } }], true],
] as const)('policy of a commit reboots a host when %s: %j → %s', (_, rules, isGiven) => {
  const pool = {
    ...aPool({ head: 'new', stable: 'new', disruption: 'none', reboot: IN_WINDOWS }).with(done('a').requiringReboot('1')),
    ceiling: { rules: rules.map((rule, index) => ({ place: `spec.rules[${index}]`, ...rule })) },
  }

  expect(deeds(decide(pool, noon))).toEqual(isGiven ? ['cordon a'] : [])
})

test('machines reboot when their pool has completed its commit, and have its content', () => {
  const node = aNode('a').on('old').booted('1').toReboot('1')
  const other = aNode('b')
    .on('new', { at: noon - minute })
    .booted('1')
    .toReboot('1')
  const decision = decide(aPool({ head: 'new', stable: 'old', since: noon - minute, reboot: NEVER }).with(node, other), noon)

  expect(deeds(decision)).toEqual(['assign a restart none'])
  expect(decision.status.reboots?.map(({ state }) => state)).toEqual(['Waiting', 'Waiting'])
})

test('node that was drained for its reboot is uncordoned when a commit arrives for which it has to wait', () => {
  const drained = aNode('a').on('old').booted('1').toReboot('1').drainedFor('old')
  const waves = [aWave('canary', { canary: 'yes' }), aWave('rest', '100%')]
  const canary = aNode('b').on('old').labelled({ canary: 'yes' })
  const decision = decide(
    aPool({ head: 'new', stable: 'old', waves, reboot: NEVER, pods: { a: [] } }).with(drained, canary),
    noon,
  )

  expect(deeds(decision)).toEqual(['uncordon a', 'assign b restart none'])
})

test('node whose drain for its reboot was called off is drained when the reboot is asked for again, and not before', () => {
  const released = done('a').drainedFor('new', { at: noon - 5 * minute, state: 'Released' })
  const askedAt = (at: number) => released.toReboot('1', { at: stamp(at) })

  expect(deeds(deciding({}, askedAt(noon - 6 * minute)))).toEqual([])
  expect(deeds(deciding({}, askedAt(noon - minute)))).toEqual(['cordon a'])
})

test('node whose drain for its reboot was called off is not drained again for a request of a clock that is ahead', () => {
  const released = done('a').drainedFor('new', { at: noon - minute, state: 'Released' })

  expect(deeds(deciding({}, released.toReboot('1', { at: stamp(noon + hour) })))).toEqual([])
})

test('node whose drain for its reboot was called off is not drained again when the time comes at which a clock that was ahead asked for it', () => {
  const pool = aPool({ head: 'new', stable: 'new', disruption: 'none', reboot: NEVER })
  const asked = done('a').toReboot('1', { at: stamp(noon + 5 * minute) })
  const uncordoned = asked.drainedFor('new').uncordoned()
  const [action] = decide(pool.with(uncordoned), noon).actions

  expect(action).toEqual({
    kind: 'uncordon',
    node: 'a',
    lifts: false,
    mark: { digest: 'new', at: noon + 5 * minute, state: 'Released' },
  })
  const released = uncordoned.drainedFor('new', { at: noon + 5 * minute, state: 'Released' })
  const again = released.toReboot('1', { at: stamp(noon + 6 * minute) })
  expect(deeds(decide(pool.with(released), noon + hour))).toEqual([])
  expect(deeds(decide(pool.with(again), noon + hour))).toEqual(['cordon a'])
})

test('held nodes, and nodes of a halted pool, are not rebooted', () => {
  expect(deeds(deciding({}, done('a').toReboot('1').held()))).toEqual([])
  const halted = aPool({ head: 'bad', rejected: ['bad'], onFailure: 'Halt', reboot: NEVER })
  expect(deeds(decide(halted.with(aNode('a').on('bad').booted('1').toReboot('1')), noon))).toEqual([])
})

test('second wave reboots when the first has rebooted and was Ready for its soak', () => {
  const nodes = ['a', 'b', 'c'].map((name) => done(name).toReboot('1'))
  const [first] = deeds(deciding({ waves: CANARY }, ...nodes))
  expect(deeds(deciding({ waves: CANARY }, ...nodes))).toHaveLength(1)
  const canary = first?.replace('cordon ', '') ?? ''
  const back = (since: number) =>
    done(canary)
      .orderedToReboot('new', { boot: '1', at: ASKED }, { at: noon - 20 * minute })
      .reporting('Applied', { since })
      .booted('2')
      .readyAgain(since)
  const others = nodes.filter(({ name }) => name !== canary)

  const soaking = deciding({ waves: CANARY }, back(noon - 4 * minute), ...others)
  expect(deeds(soaking)).toEqual([])
  expect(condition(soaking, 'Reconciling').message).toContain('reboots after wave "canary", which soaks')
  expect(soaking.wakeAt).toBe(noon + minute)
  expect(deeds(deciding({ waves: CANARY }, back(noon - 5 * minute), ...others))).toHaveLength(2)
})

test('second wave counts the soak of the first from the report of the agent when the node was Ready before', () => {
  const nodes = ['a', 'b', 'c'].map((name) => done(name).toReboot('1'))
  const canary = deeds(deciding({ waves: CANARY }, ...nodes))[0]?.replace('cordon ', '') ?? ''
  const back = done(canary)
    .orderedToReboot('new', { boot: '1', at: ASKED }, { at: noon - 20 * minute })
    .reporting('Applied', { since: noon - 2 * minute })
    .booted('2')
    .readyAgain(noon - 4 * minute)

  const soaking = deciding({ waves: CANARY }, back, ...nodes.filter(({ name }) => name !== canary))
  expect(deeds(soaking)).toEqual([])
  expect(soaking.wakeAt).toBe(noon + 3 * minute)
})

test('node that is under drain for its reboot gets it, though nodes of an earlier wave were asked for since', () => {
  const names = ['a', 'b', 'c']
  const asked = names.map((name) => done(name).toReboot('1'))
  const canary = deeds(deciding({ waves: CANARY }, ...asked))[0]?.replace('cordon ', '')
  const [later] = names.filter((name) => name !== canary)
  const nodes = asked.map((node) => (node.name === later ? node.drainedFor('new') : node))

  const decision = deciding({ waves: CANARY, maxUnavailable: 1, pods: { [later ?? '']: [] } }, ...nodes)
  expect(deeds(decision)).toEqual([`assign ${later} reboot 1`])
})

test('request counts ten seconds after it was made: others of the same command may still be on their way', () => {
  const fresh = deciding({}, done('a').toReboot('1', { at: stamp(noon - 4000) }))

  expect(deeds(fresh)).toEqual([])
  expect(fresh.wakeAt).toBe(noon + 6000)
  expect(fresh.status.reboots?.[0]?.state).toBe('Waiting')
  expect(deeds(deciding({}, done('a').toReboot('1', { at: stamp(noon - 10_000) })))).toEqual(['cordon a'])
  expect(deeds(deciding({}, done('a').toReboot('1', { at: stamp(noon + hour) })))).toEqual(['cordon a'])
})

test('request is recorded once, with who asked', () => {
  const pool = aPool({ head: 'new', stable: 'new', disruption: 'none', reboot: NEVER }).with(done('a').toReboot('1'))
  const first = decide(pool, noon)

  expect(first.status.controls).toEqual([
    {
      action: 'Reboot',
      nodes: ['a'],
      who: 'ada',
      at: ASKED,
      outcome: 'Done',
      message: 'reboots when it is selected',
      value: 'new firmware',
    },
  ])
  expect(first.events.filter(({ reason }) => reason === 'RebootAsked')).toHaveLength(1)
  const second = decide(remembering(pool, first), noon)
  expect(second.status.controls).toHaveLength(1)
  expect(second.events).toEqual([])
})

test('pod proves a node after its reboot where pods prove nodes', () => {
  const drained = done('a').withPause().toReboot('1').drainedFor('new')
  const decision = deciding({ proof: {}, pods: { a: [] }, proofs: [] }, drained)

  expect(decision.actions.find(({ kind }) => kind === 'assign')).toMatchObject({ proof: { podCapacity: 110 } })
})

test('a pool whose reboots wait for the budget says who uses it up, and not that later waves wait', () => {
  const asked = ['a', 'b', 'c'].map((name) => done(name).toReboot('1', { at: ASKED }))
  const down = done('down').notReady(noon - hour)
  const decision = deciding({ maxUnavailable: 1, maxFailures: 1, waves: CANARY }, ...asked, down)

  expect(deeds(decision)).toEqual([])
  expect(condition(decision, 'Ready').reason).toBe('WaitingForBudget')
  expect(condition(decision, 'Ready').message).toContain('used up by "down"')
})

test('no other reboot waits for a machine that was down when its reboot was ordered, and had its time', () => {
  const order = { boot: '1', at: ASKED }
  const down = done('down')
    .labelled({ canary: 'yes' })
    .notReady(noon - 2 * hour)
  const asked = done('a').toReboot('1', { at: ASKED })
  const options = { maxUnavailable: 2, maxFailures: 1, waves: [aWave('canary', { canary: 'yes' }), aWave('rest', '100%')] }

  expect(deeds(deciding(options, down.orderedToReboot('new', order), asked))).toEqual([])
  expect(deeds(deciding(options, down.orderedToReboot('new', order, { at: noon - hour }), asked))).toEqual(['cordon a'])
})
