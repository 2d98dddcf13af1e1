import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { CeilingView } from '../../../src/controller/cache/ceiling-schema.ts'
import { ConfirmedCeilings } from '../../../src/controller/cache/confirmed-ceilings.ts'
import { ObjectCache } from '../../../src/controller/cache/object-cache.ts'
import { type FollowEvent, KubeError } from '../../../src/kube/kube-api.ts'
import { FakeKube } from '../fake-kube.ts'
import { TestClock } from '../test-clock.ts'

/** What is known of the Ceiling five seconds after its deletion, when the list that confirms it fails. */
async function afterDeletion(error: KubeError): Promise<CeilingView['ceiling'] | undefined> {
  const [clock, ending] = [new TestClock(), new AbortController()]
  const kube = Object.assign(new FakeKube(), { list: () => Promise.reject(error) })
  const ceilings = new ObjectCache<CeilingView>(() => undefined)
  const confirmed = new ConfirmedCeilings({ kube, clock, signal: ending.signal, ceilings })
  const item = { name: 'fleet', namespace: '', resourceVersion: '1', ceiling: { rules: [] } } as const
  confirmed.observe({ type: 'sync', items: [item] })
  confirmed.observe({ type: 'delete', name: 'fleet', namespace: '' })
  await clock.awaited(5_000)
  clock.advance(5_000)
  await setImmediate()
  ending.abort()
  return ceilings.get('fleet')?.ceiling
}

test('a Ceiling whose deletion an unreachable server cannot confirm stays as it was', async () => {
  expect(await afterDeletion(new KubeError('away', { code: 0, reason: 'Unreachable' }))).toEqual({ rules: [] })
})

test('a Ceiling whose kind the server no longer gives allows nothing, and says why', async () => {
  expect(await afterDeletion(new KubeError('no such kind', { code: 404, reason: 'NotFound' }))).toEqual({
    rules: [],
    unreadable: 'no such kind',
    remedy: 'apply deploy/crds/ceilings.yaml and deploy/controller-rbac.yaml',
  })
})

const items = [{ name: 'fleet', namespace: '', resourceVersion: '1', ceiling: { rules: [] } }] as const

/** What is known of the Ceiling after events of the watch, before anything was confirmed. */
function known(...events: readonly FollowEvent<CeilingView>[]): CeilingView | undefined {
  const ceilings = new ObjectCache<CeilingView>(() => undefined)
  const ending = new AbortController()
  const confirmed = new ConfirmedCeilings({ kube: new FakeKube(), clock: new TestClock(), signal: ending.signal, ceilings })
  for (const event of events) confirmed.observe(event)
  ending.abort()
  return ceilings.get('fleet')
}

const later = { ...items[0], resourceVersion: '2', ceiling: { rules: [], unreadable: 'no' } }

test.each<readonly [what: string, events: readonly FollowEvent<CeilingView>[], version: string | undefined]>([
  ['is listed', [{ type: 'sync', items }], '1'],
  [
    'is changed',
    [
      { type: 'sync', items },
      { type: 'upsert', item: later },
    ],
    '2',
  ],
  [
    'is listed as another one',
    [
      { type: 'sync', items },
      { type: 'sync', items: [later] },
    ],
    '2',
  ],
  [
    'is not listed any more',
    [
      { type: 'sync', items },
      { type: 'sync', items: [] },
    ],
    '1',
  ],
  [
    'is deleted',
    [
      { type: 'sync', items },
      { type: 'delete', name: 'fleet', namespace: '' },
    ],
    '1',
  ],
  ['was never there', [{ type: 'sync', items: [] }], undefined],
  [
    'comes later',
    [
      { type: 'sync', items: [] },
      { type: 'upsert', item: later },
    ],
    '2',
  ],
])('a Ceiling that %s counts as the watch says, but for its end', (_, events, version) => {
  expect(known(...events)?.resourceVersion).toBe(version)
})

test('a Ceiling that is created again while its deletion is being confirmed limits, though the list is from before', async () => {
  const [clock, ending] = [new TestClock(), new AbortController()]
  const before = Promise.withResolvers<{ readonly items: readonly CeilingView[] }>()
  const answers = [before.promise, Promise.resolve({ items: [later] })]
  const kube = Object.assign(new FakeKube(), { list: () => answers.shift() as never })
  const ceilings = new ObjectCache<CeilingView>(() => undefined)
  const confirmed = new ConfirmedCeilings({ kube, clock, signal: ending.signal, ceilings })
  confirmed.observe({ type: 'sync', items })
  confirmed.observe({ type: 'delete', name: 'fleet', namespace: '' })
  await clock.awaited(5_000)
  clock.advance(5_000)
  await setImmediate()
  confirmed.observe({ type: 'upsert', item: later })
  before.resolve({ items: [] })
  await setImmediate()
  expect(ceilings.get('fleet')?.resourceVersion).toBe('2')

  clock.advance(5_000)
  await setImmediate()
  ending.abort()
  expect([ceilings.get('fleet')?.resourceVersion, answers.length]).toEqual(['2', 0])
})
