import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Followed, followCollection } from '../../../src/controller/cache/follow-collection.ts'
import { ObjectCache } from '../../../src/controller/cache/object-cache.ts'
import { type ProofFacts, projectProofPod } from '../../../src/controller/proof/proof-facts.ts'
import type { FollowOptions, KubeApi } from '../../../src/kube/kube-api.ts'
import { FakeKube, refusal } from '../fake-kube.ts'
import { TestClock } from '../test-clock.ts'

/** What the client is asked for. */
async function asked(more: Partial<Followed<ProofFacts>>): Promise<FollowOptions<unknown> | undefined> {
  let options: FollowOptions<unknown> | undefined
  const follow = async function* (_path: string, given: FollowOptions<unknown>) {
    options = given
    yield { type: 'sync', items: [] }
  } as KubeApi['follow']
  const ending = new AbortController()
  const { signal } = ending
  const following = { kube: Object.assign(new FakeKube(), { follow }), clock: new TestClock(), signal }
  const cache = new ObjectCache<ProofFacts>(() => undefined)
  await followCollection(
    { ...following, log: () => undefined, changed: () => undefined },
    { path: '/api/v1/pods', cache, project: projectProofPod, ...more },
  )
  ending.abort()
  return options
}

test('a collection is asked for as its cache wants it: streamed, a part of it, and quiet for so long', async () => {
  const isAwaited = () => true
  const wanted = { streamed: true, stallAfter: 7000, labelSelector: 'a=b', fieldSelector: 'spec.nodeName=n1', isAwaited }

  expect(await asked(wanted)).toMatchObject(wanted)
})

test('a collection is asked for without what its cache says nothing of, which the client decides', async () => {
  expect(Object.keys((await asked({})) ?? {}).sort()).toEqual(['onList', 'onOpen', 'onTrouble', 'project', 'signal'])
})

/** What is left of one Pod after it was deleted. */
async function leftOf(projected: string, more: { readonly manyNamespaces?: boolean }): Promise<readonly string[]> {
  const ending = new AbortController()
  const follow = async function* () {
    yield { type: 'sync', items: [{ name: projected, namespace: 'team', resourceVersion: '1' }] }
    yield { type: 'delete', name: 'web', namespace: 'team' }
    ending.abort()
  } as KubeApi['follow']
  const kube = Object.assign(new FakeKube(), { follow })
  const cache = new ObjectCache<{ name: string; namespace: string; resourceVersion: string }>(() => undefined)
  const following = { kube, clock: new TestClock(), signal: ending.signal, log: () => undefined, changed: () => undefined }
  await followCollection(following, { path: '/api/v1/pods', cache, project: () => undefined as never, ...more })
  await setImmediate()
  return [...cache.items.keys()]
}

test('an object that is deleted leaves its cache, by its name, or by namespace and name where names of many namespaces are kept', async () => {
  expect(await leftOf('web', {})).toEqual([])
  expect(await leftOf('team/web', { manyNamespaces: true })).toEqual([])
  expect(await leftOf('team/web', {})).toEqual(['team/web'])
})

test('a collection that the server refuses is asked for again five seconds later', async () => {
  const ending = new AbortController()
  const clock = new TestClock()
  const asked: number[] = []
  const begun = clock.now()
  const follow = (() => {
    asked.push(clock.now() - begun)
    if (asked.length === 3) ending.abort()
    throw refusal(403, 'Forbidden')
  }) as KubeApi['follow']
  const kube = Object.assign(new FakeKube(), { follow })
  const cache = new ObjectCache<ProofFacts>(() => undefined)
  const following = { kube, clock, signal: ending.signal, log: () => undefined, changed: () => undefined }
  const first = followCollection(following, { path: '/api/v1/pods', cache, project: projectProofPod })
  await expect(first).rejects.toThrow('refused: Forbidden')
  for (const step of [4_999, 1, 4_999, 1]) {
    clock.advance(step)
    await setImmediate()
  }
  expect(asked).toEqual([0, 5_000, 10_000])
})
