import { expect, test } from 'vitest'
import { NodeWatch } from '../../../src/agent/loop/node-watch.ts'
import { DEFAULT_TIMING } from '../../../src/agent/options.ts'
import type { NodeApi, OwnNode } from '../../../src/agent/ports.ts'
import { KubeError } from '../../../src/kube/kube-api.ts'
import { VirtualClock } from '../../../src/sim/virtual-clock.ts'
import { Random } from '../../scenarios/random.ts'
import { FakeNode } from '../support/fake-node.ts'

function watching(node: NodeApi, { clock = new VirtualClock(), random = (): number => 0.5 } = {}) {
  const seen: OwnNode[] = []
  const log = { info: () => {}, warn: () => {} }
  const { retry } = DEFAULT_TIMING
  let opened = 0
  const watch = new NodeWatch(
    { node, clock, random, log },
    {
      names: { desiredConfig: 'a/b', status: 'a/status', pool: 'a/pool' },
      retry,
      onNode: (found) => seen.push(found),
      onOpen: () => opened++,
    },
  )
  const stop = new AbortController()
  void watch.run(stop.signal)
  return { clock, watch, seen, opened: () => opened, stop: () => stop.abort() }
}

test('node watch knows nothing before the API server answers, and then what is wanted', async () => {
  const node = new FakeNode('v1.36.3')
  const { clock, watch } = watching(node)
  expect(watch.wanted).toBeUndefined()
  await clock.advance(0)
  expect(watch.wanted).toEqual({ text: null, node: 'u1', name: 'a' })
  node.write('a/b', '{}')
  await clock.advance(0)
  expect(watch.wanted).toEqual({ text: '{}', node: 'u1', name: 'a' })
})

test('node watch goes on after a refusal, since a right that is missing today may be there tomorrow', async () => {
  const node = new FakeNode('v1.36.3')
  let refusals = 0
  const { follow } = FakeNode.prototype
  node.follow = (signal) => {
    if (refusals++ < 3) throw new KubeError('nodes is forbidden', { code: 403, reason: 'Forbidden' })
    return follow.call(node, signal)
  }
  const { clock, watch } = watching(node)
  await clock.advance(6000)
  expect(watch.wanted).toBeUndefined()
  await clock.advance(2000)
  expect(watch.wanted).toEqual({ text: null, node: 'u1', name: 'a' })
})

test('node watch ends a sleep and the work on an assignment when something else is wanted, and for nothing else', async () => {
  const node = new FakeNode('v1.36.3')
  const { clock, watch } = watching(node)
  await clock.advance(0)
  await watch.sleep(60_000, clock) // the first sight of the Node is news too
  const superseded = watch.untilSuperseded()
  let awake = false
  void watch.sleep(60_000, clock).then(() => {
    awake = true
  })
  node.write('other/key', 'x')
  await clock.advance(1000)
  expect([awake, superseded.aborted]).toEqual([false, false])
  node.write('a/b', '{}')
  await clock.advance(0)
  expect([awake, superseded.aborted]).toEqual([true, true])
})

test('node watch ends a sleep when the connection stands again, and leaves the work on an assignment alone', async () => {
  const node = new FakeNode('v1.36.3')
  const { clock, watch, opened } = watching(node)
  await clock.advance(0)
  await watch.sleep(60_000, clock)
  const superseded = watch.untilSuperseded()
  const sleeping = watch.sleep(60_000, clock)
  node.reconnect()
  await sleeping
  expect([clock.elapsed(), superseded.aborted, opened()]).toEqual([0, false, 2])
})

test('node watch asks ever less often when it may list its Node but not watch it', async () => {
  const node = new FakeNode('v1.36.3')
  node.follow = async function* (_signal, { onOpen } = {}) {
    onOpen?.()
    yield await node.get()
    throw new KubeError('watch is forbidden', { code: 403, reason: 'Forbidden' })
  }
  const { clock, seen } = watching(node)
  await clock.advance(600_000)
  // At 0, 1, 3, 7, 15, 31, 63 s, and every minute from then on.
  expect(seen).toHaveLength(15)
})

test('node watch begins with short pauses again after it stood for a while', async () => {
  const askedAt: number[] = []
  const node = new FakeNode('v1.36.3')
  const clock = new VirtualClock()
  node.follow = async function* (_signal, { onOpen } = {}) {
    askedAt.push(clock.elapsed())
    if (askedAt.length !== 4) throw new KubeError('no answer', { code: 0, reason: 'Unreachable' })
    onOpen?.()
    yield await node.get()
    await clock.sleep(5000)
  }
  watching(node, { clock })
  await clock.advance(14_000)
  expect(askedAt).toEqual([0, 1000, 3000, 7000, 13_000])
})

test('node watches of a fleet that lost its API server do not come back in step', async () => {
  const clock = new VirtualClock()
  const perSecond = new Map<number, number>()
  const chance = new Random(1)
  for (let agent = 0; agent < 400; agent++) {
    const node = new FakeNode('v1.36.3')
    node.follow = () => {
      const second = Math.floor(clock.elapsed() / 1000)
      perSecond.set(second, (perSecond.get(second) ?? 0) + 1)
      throw new KubeError('no answer', { code: 0, reason: 'Unreachable' })
    }
    watching(node, { clock, random: () => chance.next() })
  }
  await clock.advance(600_000)
  const later = [...perSecond].filter(([second]) => second >= 120).map(([, asked]) => asked)
  // 400 agents that ask every 60 s on average: 6 or 7 a second.
  expect(Math.max(...later)).toBeLessThan(30)
})

test('node watch waits for other news until the agent is to stop, and then no more', async () => {
  const node = new FakeNode('v1.36.3')
  const { clock, watch, stop } = watching(node)
  await clock.advance(0)
  const never = () => false
  const before = watch.untilWanted(never)
  node.write('a/b', '{}')
  await clock.advance(0)
  expect(before.aborted).toBe(false)
  stop()
  expect([before.aborted, watch.untilWanted(never).aborted]).toEqual([true, true])
})
