import { expect, test } from 'vitest'
import { ASSIGNMENT_REPLAYED } from '../../src/protocol/agent-status.ts'
import { assess, decide } from '../../src/rollout/decide.ts'
import { remembering } from './builders/decisions.ts'
import { hour, minute, noon, stamp } from './builders/instants.ts'
import { aNode, aYoungNode, nodes } from './builders/nodes.ts'
import { aWave } from './builders/policies.ts'
import { aPool } from './builders/pools.ts'
import { aRollout } from './builders/revisions.ts'

test('pool wakes when superseded work is overdue, also when a controller whose clock is ahead assigned it', () => {
  const pool = aPool({
    head: 'new',
    stable: 'old',
    maxUnavailable: 1,
    applyTimeout: 10 * minute,
    waves: [aWave('canary', 1, { soak: hour })],
    history: [
      aRollout('new', { startedAt: noon - 2 * minute }),
      aRollout('bad', { result: 'Superseded', startedAt: noon - hour }),
    ],
  }).with(
    aNode('n0')
      .on('old')
      .assignedTo('bad', { at: noon + 90 * minute })
      .reporting('Fetching', { active: 'old' }),
    aNode('n1').on('new', { at: noon - minute }),
  )
  expect(decide(pool, noon)).toMatchObject({ actions: [], wakeAt: noon + 8 * minute })
})

test('pool wakes when a stamp that is further ahead than work may take comes near: from then on it counts for the soak', () => {
  const options = {
    since: noon - hour,
    applyTimeout: 10 * minute,
    waves: [aWave('canary', 2, { soak: minute })],
    maxUnavailable: 0,
  }
  const pool = aPool(options).with(aNode('n0').on('new', { at: noon + 13 * minute }), aNode('n1').on('older'))
  const wave = { index: 1, count: 2, name: 'canary', opened: ['canary'] }
  const paused = { ...pool, memory: { ...pool.memory, wave }, controls: { paused: '' } }

  expect(decide(paused, noon)).toMatchObject({ status: { nodes: { byPhase: { Current: 1 } } }, wakeAt: noon + 3 * minute + 1 })
  expect(decide(paused, noon + 3 * minute)).toMatchObject({ wakeAt: noon + 3 * minute + 1 })
  expect(decide(paused, noon + 3 * minute + 1).status.nodes.byPhase).toEqual({ Soaking: 1, Waiting: 1 })
})

test('pool wakes when an assignment that is further ahead than work may take comes near: from then on it counts as made just now', () => {
  const down = aNode('n0')
    .assignedTo('new', { at: noon + 13 * minute })
    .assignedWhileDown()
    .notReady(noon - hour)
  const options = { stable: 'older', since: noon - minute, applyTimeout: 10 * minute, maxUnavailable: 1 }
  const pool = aPool({ ...options, waves: [aWave('canary', 1)] }).with(down, aNode('n1').on('older'))

  expect(assess(pool, noon).wakeAt).toBe(noon + 3 * minute + 1)
})

test('pool wakes when a node that joins is young no more: from then on it waits for its turn', () => {
  const young = aNode('y').createdAtInstant(noon - 2 * minute)
  const options = { head: 'older', stable: 'older', since: noon - hour, applyTimeout: 10 * minute, controls: { paused: '' } }
  const pool = aPool(options).with(aNode('n0').on('older'), young)
  expect(decide(pool, noon)).toMatchObject({ status: { nodes: { byPhase: { Joining: 1 } } }, wakeAt: noon + 8 * minute })
  expect(decide(pool, noon + 8 * minute).status.nodes.byPhase).toEqual({ Current: 1, Waiting: 1 })
})

test('pool wakes when the stamp of a controller whose clock was ahead is past: from then on the pool was served', () => {
  const ahead = aNode('n0').on('new', { at: noon + 3000 })
  const pool = aPool({ stable: 'older', since: noon - minute, maxUnavailable: 0 }).with(ahead, aNode('n1').on('older'))
  expect(assess(pool, noon)).toMatchObject({ wakeAt: noon + 3000 })
  expect(assess(pool, noon).proposal.servedAt).toBe(noon - 2 * hour)
  expect(assess(pool, noon + 3000).proposal.servedAt).toBe(noon + 3000)
})

test('pool wakes when the stamp of a node is past that came after the rollout began: from then on the end of its soak is known', () => {
  const pool = aPool({ since: noon - minute, maxUnavailable: 0, waves: [aWave('canary', 1, { soak: minute })] }).with(
    aNode('n0')
      .createdAtInstant(noon + 3000)
      .on('new', { at: noon + 3000 }),
    aNode('n1').on('older'),
  )
  const message = '0 of 2 nodes are at new; wave 1 of 2, "canary"'

  expect(decide(pool, noon)).toMatchObject({
    status: { conditions: [{ reason: 'Soaking', message }, {}, {}] },
    wakeAt: noon + 3000,
  })
  expect(decide(pool, noon + 3000).status.conditions[0]?.message).toBe(`${message}; soaks until 2026-11-21T12:01:03.000Z`)
})

test('paused pool wakes when a cordoned node is young no more: until then it would change it, which other pools say of the budget of the fleet', () => {
  const waves = [aWave('canary', { canary: 'yes' }), aWave('rest', '100%')]
  const options = { head: 'new', stable: 'old', since: noon - minute, waves, applyTimeout: 10 * minute }
  const cordoned = aYoungNode('j').cordoned()
  const canary = aNode('n0').on('old').labelled({ canary: 'yes' })
  const pool = { ...aPool(options).with(canary, aNode('n1').on('old'), cordoned), controls: { paused: '' } }

  expect(assess(pool, noon)).toMatchObject({ isPaused: true, holders: ['j'], wakeAt: noon + 10 * minute })
  expect(assess(pool, noon + 10 * minute)).toMatchObject({ isPaused: false, holders: ['j'] })
})

test('pool wakes when its window closes while nodes wait for the target, and not once all have it', () => {
  const windows = [{ action: 'allow', schedule: '0 11 * * *', duration: 2 * hour, timeZone: 'UTC' }] as const
  const underway = aPool({ stable: 'older', since: noon - minute, windows, maxUnavailable: 0 }).with(aNode('n0').on('older'))
  const done = aPool({ head: 'older', stable: 'older', since: noon - 9 * hour, windows }).with(aNode('n0').on('older'))

  expect(decide(underway, noon).wakeAt).toBe(noon + hour)
  expect(decide(done, noon).wakeAt).toBeUndefined()
})

test('pool wakes when the skip of a node ends that gave its place in the wave to another: it may take it back', () => {
  const options = { head: 'new', stable: 'old', since: noon - minute, zones: 'OneAtATime', applyTimeout: hour } as const
  const pool = aPool({ ...options, waves: [aWave('early', 2)], drain: { mode: 'Always', timeout: 15 * minute } }).with(
    aNode('busy').on('old').assignedTo('new').reporting('Applying', { active: 'old' }).inZone('zone-a'),
    aNode('other').on('old').notReady().inZone('zone-b'),
    aNode('skipped').on('old').inZone('zone-a').drainedFor('new', { at: noon, state: 'Skipped' }),
  )
  expect(decide(pool, noon)).toMatchObject({ actions: [], wakeAt: noon + 15 * minute })
  expect(decide(pool, noon + 15 * minute).actions).toMatchObject([{ kind: 'cordon', node: 'skipped' }])
})

test('pool wakes when the wave that rebooted has soaked, though the version of another node keeps that from its content', () => {
  const order = { boot: 'b1', at: stamp(noon - 5 * minute) }
  const rebooted = aNode('b')
    .orderedToReboot('new', order, { at: noon - 4 * minute })
    .booted('b2')
    .reporting('Applied', { since: noon - 3 * minute })
    .readyAgain(noon - 2 * minute)
  const next = ['a', 'c'].map((name) =>
    aNode(name)
      .on('new')
      .booted('b1')
      .toReboot('b1', { at: stamp(noon - 5 * minute) }),
  )
  const api = { name: 'api', version: '1.36.3' }
  const pool = aPool({
    history: [aRollout('new', { result: 'Completed', startedAt: noon - 3 * hour })],
    waves: [aWave('canary', 1, { soak: 10 * minute })],
    wants: { d: { digest: 'newer', version: '1.40.0' } },
    fleet: { skew: { kind: 'known', oldest: api, newest: api } },
  }).with(rebooted, ...next, aNode('d').on('new').inZone('zone-0'))

  expect(decide(pool, noon)).toMatchObject({ actions: [], wakeAt: noon + 8 * minute })
})

test('pool wakes when an assignment of before its rollout is due again, whose agent waits for a greater grant', () => {
  const waiting = aNode('n0')
    .assignedTo('new', { at: noon - 5 * minute })
    .reporting('Blocked', { needs: 'drain' })
  const options = { stable: 'old', since: noon - minute, applyTimeout: 10 * minute, controls: { paused: '' } }

  expect(decide(aPool(options).with(waiting, aNode('n1').on('old')), noon).wakeAt).toBe(noon + 5 * minute)
})

test('pool wakes when an assignment that came back from a backup is due again, on a node that is not Ready', () => {
  const error = { reason: ASSIGNMENT_REPLAYED, message: 'the agent accepted a newer assignment' }
  const replayed = aNode('n0')
    .notReady(noon - hour)
    .assignedTo('new', { at: noon - 20_000 })
    .reporting('RolledBack', { error })
  const options = { stable: 'old', since: noon - minute, controls: { paused: '' } }

  expect(decide(aPool(options).with(replayed, aNode('n1').on('old')), noon).wakeAt).toBe(noon + 40_000)
})

test('pool does not wake when the soak ends in which a node came under pressure: it has failed for as long as that lasts', () => {
  const pressed = aNode('n0')
    .on('new', { at: noon - minute })
    .under('DiskPressure', noon - 30_000)
  const options = {
    since: noon - 2 * minute,
    maxFailures: 1,
    controls: { paused: '' },
    waves: [aWave('canary', 1, { soak: hour })],
  }
  const wave = { index: 1, count: 2, name: 'canary', opened: ['canary'] }
  const pool = aPool({ ...options, wave }).with(pressed, aNode('n1').on('older'))

  expect(decide(pool, noon).wakeAt).toBeUndefined()
  expect([noon, noon + 59 * minute].map((at) => decide(pool, at).status.nodes.byPhase.Failed)).toEqual([1, 1])
})

test('pool wakes when a skip that was stamped by a clock which has been put back begins to count', () => {
  const skipped = aNode('a')
    .on('old')
    .drainedFor('new', { at: noon + hour, state: 'Skipped' })
  const windows = [{ action: 'deny', schedule: '0 0 * * *', duration: 24 * hour, timeZone: 'UTC' }] as const
  const pool = aPool({ stable: 'old', drain: { mode: 'Always', onTimeout: 'Skip', timeout: 15 * minute }, windows }).with(skipped)
  const countsAt = noon + 45 * minute + 1

  expect(decide(pool, noon).wakeAt).toBe(countsAt)
  expect([countsAt - 1, countsAt].map((at) => decide(pool, at).status.nodes.byPhase)).toEqual([{ Waiting: 1 }, { Skipped: 1 }])
})

test('a pool wakes when a node that is drained for its reboot fails for being not Ready', () => {
  const at = noon - 20_000
  const content = aNode('a')
    .booted('b1')
    .on('new', { at, since: at + 5000 })
  const drained = content
    .notReady(at)
    .toReboot('b1', { at: stamp(noon - 40 * minute) })
    .drainedFor('new', { at })
  const history = [aRollout('new', { result: 'Completed', startedAt: noon - 30 * minute })]
  const pool = aPool({ stable: 'new', history }).with(drained)
  const seen = remembering(pool, decide(pool, noon))
  const { wakeAt, status } = decide(seen, noon)

  expect(status.nodes.byPhase).toEqual({ Cordoned: 1 })
  expect(wakeAt).toBe(noon + 40_000)
  expect(decide(seen, noon + 40_000).status.nodes.byPhase).toEqual({ Failed: 1 })
})

test('a pool wakes when restored nodes are not Ready for a minute: from then on no budget keeps them', () => {
  const restored = nodes('a', 'b').map((node) => node.rolledBackFrom('older', { at: noon - hour, to: 'oldest' }))
  const pool = aPool({ stable: 'older', since: noon - 2 * hour, maxUnavailable: 1 }).with(
    ...restored.map((node) => node.notReady(noon - 2_000)),
  )

  expect(decide(pool, noon).wakeAt).toBe(noon + 58_000)
})

test('a pool whose soak began again in this very pass wakes soon, to say until when it lasts', () => {
  const waves = [aWave('canary', 1, { soak: hour })]
  const pool = aPool({ stable: 'older', since: noon - 20 * minute, waves }).with(
    aNode('a').on('new', { at: noon - 5 * minute }),
    aNode('b').on('older'),
  )
  const restored = { ...pool, steadySince: noon }
  const first = decide(restored, noon)

  expect(first.status.nodes.byPhase).toEqual({ Soaking: 1, Waiting: 1 })
  expect(first.wakeAt).toBe(noon + 5_000)
  expect(decide(remembering(restored, first), noon + 5_000).wakeAt).toBe(noon + hour)
})
