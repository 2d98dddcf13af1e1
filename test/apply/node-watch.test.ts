import { expect, test } from 'vitest'
import { NodeWatch } from '../../src/apply/node-watch.ts'
import type { NodeApi, OwnNode } from '../../src/apply/ports.ts'
import { KubeError } from '../../src/kube/kube-api.ts'
import { VirtualClock } from '../../src/sim/virtual-clock.ts'
import { FakeNode } from './support/fake-node.ts'

function watching(node: NodeApi) {
  const clock = new VirtualClock()
  const seen: OwnNode[] = []
  const log = { info: () => {}, warn: () => {} }
  const watch = new NodeWatch({ node, clock, log }, { annotation: 'a/b', onNode: (found) => seen.push(found) })
  void watch.run(new AbortController().signal)
  return { clock, watch, seen }
}

test('node watch knows nothing before the API server answers, and then what is wanted', async () => {
  const node = new FakeNode('v1.36.3')
  const { clock, watch } = watching(node)
  expect(watch.wanted).toBeUndefined()
  await clock.advance(0)
  expect(watch.wanted).toEqual({ text: null, node: 'u1' })
  node.write('a/b', '{}')
  await clock.advance(0)
  expect(watch.wanted).toEqual({ text: '{}', node: 'u1' })
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
  expect(watch.wanted).toEqual({ text: null, node: 'u1' })
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
