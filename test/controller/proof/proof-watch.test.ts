import { EventEmitter, on } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { projectProofPod } from '../../../src/controller/proof/proof-facts.ts'
import { ProofWatch } from '../../../src/controller/proof/proof-watch.ts'
import type { FollowOptions, KubeApi, KubeObject } from '../../../src/kube/kube-api.ts'
import { FakeKube } from '../fake-kube.ts'
import { TestClock } from '../test-clock.ts'

test('a watch of events may be quiet for long, for an API server sends no bookmarks of events', () => {
  const followed = new Map<string, FollowOptions<unknown>>()
  const follow = async function* (path: string, options: FollowOptions<unknown>) {
    followed.set(path, options)
    yield { type: 'sync', items: [] }
  } as KubeApi['follow']
  const kube: KubeApi = Object.assign(new FakeKube(), { follow })
  const ended = new AbortController()
  new ProofWatch({ kube, clock: new TestClock(), log: () => undefined, signal: ended.signal, changed: () => undefined })
  ended.abort()

  expect(followed.get('/api/v1/namespaces/nodewave-proof/events')?.stallAfter).toBe(1_800_000)
  expect(followed.get('/api/v1/namespaces/nodewave-proof/pods')?.stallAfter).toBeUndefined()
})

function aProofPod(node: string): KubeObject {
  return {
    metadata: { name: `proof-${node}`, uid: `uid-${node}`, resourceVersion: '1' },
    spec: { nodeName: node, containers: [] },
  }
}

test('pods that prove nodes are told to the pool of their node alone', async () => {
  const follow = async function* (path: string) {
    const items = path.endsWith('/pods') ? [aProofPod('a0'), aProofPod('b0')].map(projectProofPod) : []
    yield { type: 'sync', items }
  } as KubeApi['follow']
  const ended = new AbortController()
  const kube: KubeApi = Object.assign(new FakeKube(), { follow })
  const watch = new ProofWatch({
    kube,
    clock: new TestClock(),
    log: () => undefined,
    signal: ended.signal,
    changed: () => undefined,
  })
  expect(watch.podsOf('a', [{ name: 'a0' }])).toBeUndefined()
  await turn()
  ended.abort()

  const podsOf = (pool: string, name: string) => {
    const pods = watch.podsOf(pool, [{ name }, { name: `${pool}1` }])
    return pods?.kind === 'known' && [...pods.pods].map(([node, pod]) => `${node} ${pod.uid}`)
  }
  expect([watch.nodeOf('uid-b0'), watch.nodeOf('gone')]).toEqual(['b0', undefined])
  expect(podsOf('a', 'a0')).toEqual(['a0 uid-a0'])
  expect(podsOf('b', 'b0')).toEqual(['b0 uid-b0'])
  expect(watch.podsOf('a', [{ name: 'a0' }, { name: 'a1' }])).toBe(watch.podsOf('a', [{ name: 'a0' }]))
})

test('a pool hears of a pod that changed beside one that did not, of one that came, and of one that is gone', async () => {
  const events = new EventEmitter()
  const follow = async function* (path: string) {
    if (!path.endsWith('/pods')) return yield { type: 'sync', items: [] }
    yield { type: 'sync', items: [aProofPod('a0'), aProofPod('a1')].map(projectProofPod) }
    for await (const [event] of on(events, 'event', { signal: ended.signal })) yield event
  } as KubeApi['follow']
  const ended = new AbortController()
  const options = { clock: new TestClock(), log: () => undefined, signal: ended.signal, changed: () => undefined }
  const watch = new ProofWatch({ kube: Object.assign(new FakeKube(), { follow }), ...options })
  const podsOf = () => {
    const pods = watch.podsOf('a', [{ name: 'a0' }, { name: 'a1' }])
    return pods?.kind === 'known' ? [...pods.pods.values()].map(({ node, state }) => `${node} ${state}`) : []
  }
  const see = async (event: object): Promise<readonly string[]> => {
    events.emit('event', event)
    for (let turns = 0; turns < 3; turns++) await turn()
    return podsOf()
  }
  await turn()

  const ended1 = { ...aProofPod('a1'), status: { phase: 'Succeeded' } }
  const item = projectProofPod({ ...ended1, metadata: { ...ended1.metadata, resourceVersion: '2' } })
  expect(podsOf()).toEqual(['a0 Pending', 'a1 Pending'])
  expect(await see({ type: 'upsert', item })).toEqual(['a0 Pending', 'a1 Succeeded'])
  expect(await see({ type: 'delete', name: 'proof-a1', namespace: '' })).toEqual(['a0 Pending'])
  expect(await see({ type: 'upsert', item })).toEqual(['a0 Pending', 'a1 Succeeded'])
  ended.abort()
})
