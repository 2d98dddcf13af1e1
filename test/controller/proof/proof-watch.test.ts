import { expect, test } from 'vitest'
import { ProofWatch } from '../../../src/controller/proof/proof-watch.ts'
import type { FollowOptions, KubeApi } from '../../../src/kube/kube-api.ts'
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
