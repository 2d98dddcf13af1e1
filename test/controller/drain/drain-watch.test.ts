import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { DrainWatch } from '../../../src/controller/drain/drain-watch.ts'
import { projectPod } from '../../../src/controller/drain/pod-facts.ts'
import type { FollowOptions, KubeApi, KubeObject } from '../../../src/kube/kube-api.ts'
import { FakeKube } from '../fake-kube.ts'
import { TestClock } from '../test-clock.ts'

function aPod(name: string): KubeObject {
  return { metadata: { name, namespace: 'shop', uid: name, resourceVersion: '1' }, spec: { nodeName: 'n0', containers: [] } }
}

test('pods of a node that is drained again are unknown until they were read again: others came to it meanwhile', async () => {
  const pods: KubeObject[] = []
  const follow = async function* (path: string) {
    yield { type: 'sync', items: path === '/api/v1/pods' ? pods.map(projectPod) : [] }
  } as KubeApi['follow']
  const ended = new AbortController()
  const kube: KubeApi = Object.assign(new FakeKube(), { follow })
  const options = { clock: new TestClock(), log: () => undefined, signal: ended.signal, changed: () => undefined }
  const watch = new DrainWatch({ kube, ...options })

  watch.follow(new Set(['n0']))
  await turn()
  expect(watch.podsOf('n0')).toEqual({ kind: 'known', pods: [] })
  watch.follow(new Set())
  expect(watch.podsOf('n0')).toBeUndefined()
  pods.push(aPod('web'))
  watch.follow(new Set(['n0']))
  expect(watch.podsOf('n0')).toBeUndefined()
  await turn()
  expect(watch.podsOf('n0')).toMatchObject({ kind: 'known', pods: [{ uid: 'web' }] })
  ended.abort()
})

test('pods are read node by node, in parts as they come, of every namespace', async () => {
  const followed: (readonly [string, FollowOptions<unknown>])[] = []
  const follow = async function* (path: string, options: FollowOptions<unknown>) {
    followed.push([path, options])
    yield { type: 'sync', items: [] }
  } as KubeApi['follow']
  const ended = new AbortController()
  const options = { clock: new TestClock(), log: () => undefined, signal: ended.signal, changed: () => undefined }
  const watch = new DrainWatch({ kube: Object.assign(new FakeKube(), { follow }), ...options })
  watch.follow(new Set(['n0', 'n1']))
  await turn()
  ended.abort()

  expect(followed.map(([, { isAwaited }]) => isAwaited?.())).toEqual([true, true])
  expect(followed.map(([path, { fieldSelector, streamed }]) => [path, fieldSelector, streamed])).toEqual([
    ['/api/v1/pods', 'spec.nodeName=n0', true],
    ['/api/v1/pods', 'spec.nodeName=n1', true],
  ])
})

test('of two pods of one name in two namespaces the one that went is gone', async () => {
  const pods = ['shop', 'bank'].map((namespace) => ({
    ...aPod('web'),
    metadata: { ...aPod('web').metadata, namespace, uid: namespace },
  }))
  const follow = async function* (path: string) {
    if (path !== '/api/v1/pods') return yield { type: 'sync', items: [] }
    yield { type: 'sync', items: pods.map(projectPod) }
    yield { type: 'delete', name: 'web', namespace: 'bank' }
  } as KubeApi['follow']
  const ended = new AbortController()
  const options = { clock: new TestClock(), log: () => undefined, signal: ended.signal, changed: () => undefined }
  const watch = new DrainWatch({ kube: Object.assign(new FakeKube(), { follow }), ...options })
  watch.follow(new Set(['n0']))
  for (let turns = 0; turns < 3; turns++) await turn()

  expect(watch.podsOf('n0')).toMatchObject({ kind: 'known', pods: [{ uid: 'shop' }] })
  ended.abort()
})

test('an answer to an eviction changes what is known of the node with that pod, and of no other node', async () => {
  const follow = async function* (path: string, { fieldSelector }: FollowOptions<unknown>) {
    yield { type: 'sync', items: path === '/api/v1/pods' ? [projectPod(aPod(`of ${fieldSelector?.slice(-2)}`))] : [] }
  } as KubeApi['follow']
  const ended = new AbortController()
  const options = { clock: new TestClock(), log: () => undefined, signal: ended.signal, changed: () => undefined }
  const watch = new DrainWatch({ kube: Object.assign(new FakeKube(), { follow }), ...options })
  watch.follow(new Set(['n0', 'n1']))
  await turn()
  const other = watch.podsOf('n1')
  expect(watch.podsOf('n0')).toMatchObject({ pods: [{ uid: 'of n0', terminating: false }] })
  watch.answers.taken('of n0')
  expect(watch.podsOf('n0')).toMatchObject({ pods: [{ uid: 'of n0', terminating: true }] })
  expect(watch.podsOf('n1')).toBe(other)
  ended.abort()
})
