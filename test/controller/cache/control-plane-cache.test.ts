import { expect, test } from 'vitest'
import { ControlPlaneCache } from '../../../src/controller/cache/control-plane-cache.ts'
import { ServerVersions } from '../../../src/controller/cache/server-versions.ts'
import { FakeKube } from '../fake-kube.ts'
import { TestClock } from '../test-clock.ts'

function aCache() {
  const told = { changes: 0 }
  const changed = (): void => {
    told.changes += 1
  }
  const parts = { kube: new FakeKube(), clock: new TestClock(), log: () => undefined, signal: new AbortController().signal }
  return { cache: new ControlPlaneCache(new ServerVersions({ ...parts, changed }), changed), told }
}

test('what is known is outdated from when the watch breaks off until another stands and the server has told its version', async () => {
  const { cache, told } = aCache()
  cache.lost('Unreachable')
  cache.lost('Unreachable')
  const answer = Promise.withResolvers<void>()
  const opened = cache.opened(answer.promise)
  expect(cache.view([], () => undefined).outdated).toBe('Unreachable')
  answer.resolve()
  await opened
  expect(cache.view([], () => undefined)).toEqual({ nodes: [], instances: [], answers: [] })
  expect(told.changes).toBe(2)
})

test('a version that comes when its watch has broken off again mends nothing', async () => {
  const { cache } = aCache()
  const answer = Promise.withResolvers<void>()
  const opened = cache.opened(answer.promise)
  cache.lost('Forbidden')
  answer.resolve()
  await opened
  expect(cache.view([], () => undefined).outdated).toBe('Forbidden')
})
