import { expect, test } from 'vitest'
import { steadyClock } from '../../../src/controller/clock/steady-clock.ts'
import { ManualTimers } from '../../kube/manual-timers.ts'
import { aFleet } from '../a-fleet.ts'
import { aStage, NODES, POOLS } from '../stage.ts'
import { TestClock } from '../test-clock.ts'

function aClock() {
  const [wall, timers, ending] = [new TestClock(0), new ManualTimers(), new AbortController()]
  const clock = steadyClock(wall, { timers, signal: ending.signal })
  /** Both clocks go on together. */
  const live = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 5) {
      wall.advance(5_000)
      await timers.pass(5_000)
    }
  }
  return { wall, clock, live, ending, timers }
}

test('a clock that runs evenly is trusted from the beginning', async () => {
  const { clock, live } = aClock()
  await live(3600)
  expect(clock.steadySince?.()).toBeUndefined()
})

test('a clock that is put forward counts from then', async () => {
  const { wall, clock, live } = aClock()
  await live(60)
  wall.advance(3_600_000)
  expect(clock.steadySince?.()).toBe(3_660_000)
  await live(60)
  expect(clock.steadySince?.()).toBe(3_660_000)
})

test('a clock that is put back counts from then: what it stamped before lies ahead, and tells not when it was', async () => {
  const { wall, clock, live } = aClock()
  await live(3_660)
  wall.advance(-3_600_000)
  expect(clock.steadySince?.()).toBe(60_000)
  await live(10)
  expect(clock.steadySince?.()).toBe(60_000)
})

test('a clock that is put back by some seconds is trusted', async () => {
  const { wall, clock, live } = aClock()
  await live(60)
  wall.advance(-19_000)
  await live(10)
  expect(clock.steadySince?.()).toBeUndefined()
})

test('a clock that was put forward and back again counts from when it was put back', async () => {
  const { wall, clock, live } = aClock()
  await live(60)
  wall.advance(3_600_000)
  await live(60)
  wall.advance(-3_600_000)
  expect(clock.steadySince?.()).toBe(120_000)
  await live(60)
  expect(clock.steadySince?.()).toBe(120_000)
})

test('a clock is looked at no more once the controller ends', async () => {
  const { timers, ending } = aClock()
  ending.abort()
  await Promise.resolve()
  expect(timers.waits).toEqual([])
})

test.each([
  ['keeps a rollout going when its clock jumps', true, []],
  ['fails what is overdue when its clock has run evenly', false, [{ node: 'n0', reason: 'ApplyTimeout' }]],
])('a controller %s', async (_, jumps, failed) => {
  await using stage = await aStage()
  await stage.addNodes(1)
  let steadySince: number | undefined
  const { clock } = stage
  const wrapped = {
    now: () => clock.now(),
    elapsed: () => clock.elapsed(),
    sleepUntil: (at: number, signal: AbortSignal) => clock.sleepUntil(at, signal),
    steadySince: () => steadySince,
  }
  stage.startController({ clock: wrapped })
  stage.startAgents(() => 'works on')
  stage.push('a', aFleet())
  await stage.until(
    NODES,
    (found) => found.get('n0')?.metadata.annotations?.['nodewave.io/status']?.includes('Applying') === true,
  )
  if (jumps) steadySince = clock.now() + 3_600_000
  clock.advance(3_600_000)
  await stage.kube.create(NODES, {
    metadata: { name: 'late', labels: { role: 'worker' }, annotations: { 'nodewave.io/hold': 'new' } },
  })
  clock.advance(1000)
  const pools = await stage.until(POOLS, (found) => JSON.stringify(found.get('workers') ?? {}).includes('"Held":1'))
  expect(pools.get('workers')?.status).toMatchObject({ failed })
})

test.each([
  ['as late as a busy machine may', 20_000, undefined],
  ['later than that', 20_001, 80_001],
])('a clock that is looked at %s is trusted, or not', async (_, gap, since) => {
  const { wall, clock, live } = aClock()
  await live(60)
  wall.advance(gap)
  expect(clock.steadySince?.()).toBe(since)
})

test('a clock counts CPU time where the one that it is made of does', () => {
  const { clock, timers, ending } = aClock()
  const counting = Object.assign(new TestClock(0), { cpuUsed: () => 7 })
  expect(steadyClock(counting, { timers, signal: ending.signal }).cpuUsed?.()).toBe(7)
  expect(clock).not.toHaveProperty('cpuUsed')
})
