import { expect, test } from 'vitest'
import { assess, decide } from '../../../src/rollout/decide.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import { condition, phases, remembering, verdict } from '../builders/decisions.ts'
import { hour, minute, noon, stamp } from '../builders/instants.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'
import { aPod } from '../builders/pods.ts'
import { aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

const ASKED = stamp(noon - minute)
const IN_WINDOWS = { whenRequired: 'InWindows', timeout: 10 * minute } as const
const NEVER = { ...IN_WINDOWS, whenRequired: 'Never' } as const

/** A node that runs what the pool has completed, with the boot `1`. */
function done(name: string): NodeDraft {
  return aNode(name).on('new').booted('1')
}

/** Of a pool that has completed its commit. */
function deciding(options: PoolOptions, ...nodes: NodeView[]) {
  return decide(aPool({ head: 'new', stable: 'new', disruption: 'none', reboot: NEVER, ...options }).with(...nodes), noon)
}

/** `cordon a`, `assign a reboot 1@…` */
function deeds({ actions }: ReturnType<typeof decide>): string[] {
  return actions.flatMap((action) => {
    if (action.kind === 'assign') return [`assign ${action.node} ${action.grant} ${action.reboot?.boot ?? 'none'}`]
    return action.kind === 'cordon' || action.kind === 'uncordon' || action.kind === 'clearReboot'
      ? [`${action.kind} ${action.node}`]
      : []
  })
}

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

test('node whose agent is done and that shows the same boot counts as rebooting until its time is over, and has failed then', () => {
  const order = { boot: '1', at: ASKED }
  const same = done('a')
    .orderedToReboot('new', order)
    .reporting('Applied', { since: noon - 1000 })
    .toReboot('1')
  const late = done('a')
    .orderedToReboot('new', order, { at: noon - 26 * minute })
    .reporting('Applied', { since: noon - 25 * minute })
    .toReboot('1')

  expect(phases(deciding({}, same))).toEqual({ Rebooting: 1 })
  const decision = deciding({}, late)
  expect(decision.status.failed[0]?.reason).toBe('NotRebooted')
  expect(decision.status.reboots?.[0]?.state).toBe('Failed')
})

test('machine that does not come back has failed after applyTimeout and the time of a reboot, and no other reboots', () => {
  const order = { boot: '1', at: ASKED }
  const away = (at: number) =>
    done('a')
      .orderedToReboot('new', order, { at })
      .reporting('Applying', { error: { reason: 'Rebooting', message: 'the machine reboots' } })
      .notReady(at + minute)
      .toReboot('1')
  const waiting = done('b').toReboot('1')

  expect(phases(deciding({ maxUnavailable: 2 }, away(noon - 24 * minute)))).toEqual({ Rebooting: 1 })
  const decision = deciding({ maxUnavailable: 2 }, away(noon - 25 * minute), waiting)
  expect(decision.status.failed).toEqual([
    {
      node: 'a',
      reason: 'RebootTimeout',
      message: `the machine was ordered to reboot after ${stamp(noon - 25 * minute)}, and its agent has not come back`,
    },
  ])
  expect(deeds(decision)).toEqual([])
  expect(verdict(decision).Stalled).toBe('True NodesFailed')
})

test('machine that refused to reboot has failed; asked once more it is ordered once more', () => {
  const refused = done('a')
    .orderedToReboot('new', { boot: '1', at: ASKED })
    .reporting('RolledBack', { active: 'new', error: { reason: 'RebootRefused', message: 'inhibited by apt' } })
  const asked = refused.toReboot('1')
  const again = refused.toReboot('1', { at: stamp(noon - minute / 2) })

  expect(deeds(deciding({}, asked))).toEqual([])
  expect(deciding({}, asked).status.failed[0]?.reason).toBe('RebootRefused')
  expect(deeds(deciding({}, again))).toEqual(['cordon a'])
})

test('machine that refused to reboot, and was rebooted by somebody, gets its content once more and is no failure', () => {
  const since = done('a')
    .orderedToReboot('new', { boot: '1', at: ASKED })
    .reporting('RolledBack', { active: 'new', error: { reason: 'RebootRefused', message: 'inhibited by apt' } })
    .booted('2')
    .toReboot('1')

  expect(deeds(deciding({}, since))).toEqual(['assign a none none', 'clearReboot a'])
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

test('host that requires a reboot is shown, and rebooted only where the policy says so', () => {
  const requiring = done('a').requiringReboot('1')
  const shown = deciding({}, requiring)

  expect(deeds(shown)).toEqual([])
  expect(verdict(shown).Ready).toBe('True Completed')
  expect(condition(shown, 'Ready').message).toBe('1 of 1 nodes are at new; 1 node requires a reboot: "a"')
  expect(shown.status.reboots).toEqual([{ node: 'a', state: 'Required', because: '/run/reboot-required, libc6' }])
  expect(deeds(deciding({ reboot: IN_WINDOWS }, requiring))).toEqual(['cordon a'])
})

test('host that still requires a reboot after it was ordered one for this boot is not ordered another', () => {
  const ordered = done('a').orderedToReboot('new', { boot: '1' }).reporting('RolledBack', { active: 'new' })

  expect(deeds(deciding({ reboot: IN_WINDOWS }, ordered.requiringReboot('1')))).toEqual([])
})

test('host that requires a reboot again after each reboot is rebooted once a day, and an operator may do it sooner', () => {
  const orderedAt = (at: number) =>
    done('a')
      .orderedToReboot('new', { boot: '1' }, { at })
      .reporting('Applied', { since: at + minute })
      .booted('2')
      .requiringReboot('2')
  const early = deciding({ reboot: IN_WINDOWS }, orderedAt(noon - hour))

  expect(deeds(early)).toEqual([])
  expect(early.wakeAt).toBe(noon + 23 * hour)
  expect(early.status.reboots).toEqual([{ node: 'a', state: 'Required', because: '/run/reboot-required, libc6' }])
  expect(condition(early, 'Ready').message).toBe(
    '1 of 1 nodes are at new; 1 node requires a reboot: "a"; less than a day after their last reboot: "a"',
  )
  expect(deeds(deciding({ reboot: IN_WINDOWS }, orderedAt(noon - hour).toReboot('2')))).toEqual(['cordon a'])
  expect(deeds(deciding({ reboot: IN_WINDOWS }, orderedAt(noon - 24 * hour)))).toEqual(['cordon a'])
})

test('host that requires a reboot an hour after an operator rebooted it waits for nothing', () => {
  const ordered = done('a').orderedToReboot('new', { boot: '1', at: '2026-11-21T11:00:00Z' }, { at: noon - hour })

  expect(deeds(deciding({ reboot: IN_WINDOWS }, ordered.reporting('Applied').booted('2').requiringReboot('2')))).toEqual([
    'cordon a',
  ])
})

test('host that was back only after the time for its reboot keeps the order, which says when it was rebooted last', () => {
  const late = aNode('a')
    .orderedToReboot('new', { boot: '1' }, { at: noon - hour })
    .booted('2')
    .readyAgain(noon - minute)
    .reporting('Applying', { error: { reason: 'Rebooting', message: 'the machine reboots' } })

  expect(deeds(deciding({ reboot: IN_WINDOWS }, late))).toEqual([])
})

test('host that requires a reboot again was ordered one by a clock that was years ahead: it does not wait for years', () => {
  const ordered = done('a').orderedToReboot('new', { boot: '1' }, { at: noon + 9000 * hour })

  expect(deeds(deciding({ reboot: IN_WINDOWS }, ordered.reporting('Applied').booted('2').requiringReboot('2')))).toEqual([
    'cordon a',
  ])
})

test('host that requires a reboot again waits for a day also when its run is stamped by a clock that was a little ahead', () => {
  const startedAt = noon + 4 * minute
  const history = [aRollout('new', { result: 'Completed', startedAt })]
  const ordered = done('a').orderedToReboot('new', { boot: '1' }, { at: startedAt })
  const again = ordered
    .reporting('Applied', { since: noon - 1000 })
    .booted('2')
    .requiringReboot('2')

  expect(deeds(deciding({ reboot: IN_WINDOWS, history }, again))).toEqual([])
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

const CANARY = [aWave('canary', 1, { soak: 5 * minute }), aWave('rest', '100%')]

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

test('node that failed at its reboot keeps no later wave waiting when it is held, as the pool says', () => {
  const asked = ['a', 'b', 'c'].map((name) => done(name).toReboot('1'))
  const canary = deeds(deciding({ waves: CANARY }, ...asked))[0]?.replace('cordon ', '') ?? ''
  const failed = done(canary)
    .orderedToReboot('new', { boot: '1', at: ASKED }, { at: noon - 40 * minute })
    .reporting('RolledBack', { error: { reason: 'NotRebooted', message: 'the machine did not reboot' } })
  const others = asked.filter(({ name }) => name !== canary)

  expect(deeds(deciding({ waves: CANARY }, failed, ...others))).toEqual([])
  expect(deeds(deciding({ waves: CANARY }, failed.held(), ...others))).toEqual(others.map(({ name }) => `cordon ${name}`))
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
      message: 'reboots in its turn',
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

test('pool is stalled by a machine that failed at its reboot, and is not reconciling though another one waits for its own', () => {
  const refused = (name: string) =>
    done(name)
      .orderedToReboot('new', { boot: '1', at: ASKED })
      .reporting('RolledBack', { active: 'new', error: { reason: 'RebootRefused', message: 'inhibited by apt' } })
  const failed = refused('a')
  const decision = deciding({ maxUnavailable: 2 }, failed, done('b').toReboot('1'))

  expect(deeds(decision)).toEqual([])
  expect(verdict(decision)).toMatchObject({ Reconciling: 'False NodesFailed', Stalled: 'True NodesFailed' })
})

test('reboot that failed rejects no commit, also when the status of the pool was lost and its rollout begins again', () => {
  const failed = done('a')
    .orderedToReboot('new', { boot: '1', at: ASKED }, { at: noon - 30 * minute })
    .reporting('RolledBack', { active: 'new', error: { reason: 'NotRebooted', message: 'the machine did not reboot' } })
  const { status } = decide(aPool({ head: 'new', reboot: NEVER }).with(failed, done('b')), noon)

  expect(status.rejected).toEqual([])
  expect(status.history[0]?.result).toBe('Completed')
})

test('pool says to ask again for the reboot that failed, since a retry is of content', () => {
  const refused = (name: string) =>
    done(name)
      .orderedToReboot('new', { boot: '1', at: ASKED })
      .reporting('RolledBack', { active: 'new', error: { reason: 'RebootRefused', message: 'inhibited by apt' } })
  const failed = refused('a')
  const ofContent = done('c').rolledBackFrom('new', { at: noon - 3 * hour })
  const message = (...nodes: NodeView[]) => condition(deciding({ maxFailures: 2 }, ...nodes), 'Ready').message

  expect(message(failed)).toBe('"a": inhibited by apt; repair what is to blame, then: nodewave reboot a')
  expect(message(...['a', 'b', 'c', 'd'].map((name) => refused(name)))).toMatch(/: nodewave reboot a b c; and 1 more$/)
  expect(message(failed, ofContent)).toMatch(/, then: nodewave retry workers \(or kubectl .*\), and: nodewave reboot a$/)
})

test.each([
  ['that its host requires', (node: NodeDraft) => node.requiringReboot('1'), IN_WINDOWS],
  ['that an operator asked for', (node: NodeDraft) => node.toReboot('1'), NEVER],
])('reboot %s brings no node to content that failed on it, and its failure still counts', (_, asking, reboot) => {
  const failed = asking(
    aNode('a')
      .booted('1')
      .rolledBackFrom('new', { at: noon - hour }),
  )
  const drained = failed.drainedFor('new')
  const history = [aRollout('new', { result: 'Completed', startedAt: noon - 2 * hour })]
  const decided = (node: NodeView) =>
    deciding({ reboot, history, since: noon - 2 * hour, pods: { a: [] }, maxFailures: 1 }, node, done('b'))

  expect(deeds(decided(failed))).toEqual([])
  expect(deeds(decided(drained))).toEqual(['uncordon a'])
  expect(decided(failed).status.history[0]?.laterFailures?.nodes).toEqual(['a'])
  expect(condition(decided(failed), 'Ready').message).toMatch(/^"a": failed to validate .* then: nodewave retry workers/)
})
