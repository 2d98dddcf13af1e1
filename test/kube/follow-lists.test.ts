import { expect, test } from 'vitest'
import { listOf, refusal, watching } from './scripted-server.ts'
import { startFollow } from './some-follow.ts'

test('follow lists again, at once, when the server has forgotten the version', async () => {
  const gone = watching(
    `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } })}\n`,
    'end',
  )
  await using it = await startFollow([listOf(['a'], '5'), gone, listOf(['b'], '50'), watching([], 'silence')])
  expect(await it.next()).toMatchObject({ type: 'sync', items: ['a@5'] })
  const next = it.next()
  await it.timers.pass(0)
  expect(await next).toMatchObject({ type: 'sync', items: ['b@50'] })
  expect(it.troubles).toEqual(['Expired'])
})

test('follow lists again, after a pause, when a restored server does not know the version yet', async () => {
  await using it = await startFollow([
    listOf(['a'], '5'),
    refusal(504, 'Timeout', 'Too large resource version'),
    listOf(['a'], '3'),
    watching([], 'silence'),
  ])
  await it.next()
  const next = it.next()
  await it.timers.pass(800)
  expect(await next).toMatchObject({ type: 'sync', items: ['a@3'] })
})

test('follow lists again when a server that was out of reach has not counted as far as before, as a restored one', async () => {
  await using it = await startFollow([
    listOf(['a'], '1000'),
    watching([{ type: 'MODIFIED', name: 'a', version: '1002' }], 'break'),
    refusal(503, 'ServiceUnavailable'),
    listOf(['b'], '998'),
    listOf(['b'], '999'),
    watching([{ type: 'MODIFIED', name: 'b', version: '1000' }], 'silence'),
  ])
  await it.next()
  await it.next()
  const next = it.next()
  await it.timers.pass(800)
  await it.timers.pass(1600)
  await it.timers.pass(3200)
  expect(await next).toMatchObject({ type: 'sync', items: ['b@999'] })
  expect(await it.next()).toEqual({ type: 'upsert', item: 'b@1000' })
  expect(it.server.received[5]?.url.searchParams.get('resourceVersion')).toBe('999')
  expect(it.troubles).toEqual(['Unreachable', 'ServiceUnavailable', 'Restored'])
})

test.each([
  ['a load balancer answers for it', refusal(503, 'ServiceUnavailable')],
  ['it asks to come again while it starts', refusal(429, 'TooManyRequests')],
  ['its etcd is away', refusal(500, 'InternalError')],
])('follow lists again when a server ended the watch, is restored, and meanwhile %s', async (_, meanwhile) => {
  const first = watching([{ type: 'MODIFIED', name: 'a', version: '1002' }], 'end')
  const restored = [listOf(['b'], '998'), listOf(['b'], '999')]
  await using it = await startFollow([listOf(['a'], '1000'), first, meanwhile, ...restored, watching([], 'silence')])
  await it.next()
  await it.next()
  const next = it.next()
  await it.timers.pass(800)
  await it.timers.pass(1600)
  await it.timers.pass(3200)
  expect(await next).toMatchObject({ type: 'sync', items: ['b@999'] })
})

const BEGINNING = [
  { type: 'ADDED', name: 'a', version: '3' },
  { type: 'ADDED', name: 'b', version: '4' },
] as const

test('follow asks once for what is there and what changes when it may be streamed', async () => {
  const answer = watching(
    [
      ...BEGINNING,
      { type: 'BOOKMARK', name: '', version: '5', endsBeginning: true },
      { type: 'MODIFIED', name: 'a', version: '6' },
    ],
    'silence',
  )
  await using it = await startFollow([answer], { streamed: true })
  expect(await it.next()).toMatchObject({ type: 'sync', items: ['a@3', 'b@4'] })
  expect(await it.next()).toEqual({ type: 'upsert', item: 'a@6' })
  expect(Object.fromEntries(it.server.received[0]?.url.searchParams ?? [])).toEqual({
    watch: 'true',
    allowWatchBookmarks: 'true',
    sendInitialEvents: 'true',
    resourceVersionMatch: 'NotOlderThan',
    timeoutSeconds: '450',
  })
  expect(it.server.received).toHaveLength(1)
})

test('follow takes in what changes, or goes, before a streamed beginning is complete', async () => {
  const answer = watching(
    [
      ...BEGINNING,
      { type: 'MODIFIED', name: 'a', version: '6' },
      { type: 'DELETED', name: 'b', version: '7' },
      { type: 'BOOKMARK', name: '', version: '7', endsBeginning: true },
    ],
    'silence',
  )
  await using it = await startFollow([answer], { streamed: true })
  expect(await it.next()).toEqual({ type: 'sync', items: ['a@6'], resourceVersion: '7' })
})

test('follow asks for a list when the server streams none, or not to the end', async () => {
  for (const answer of [refusal(422, 'Invalid'), watching([...BEGINNING], 'end')]) {
    await using it = await startFollow([answer, listOf(['a'], '5'), watching([], 'silence')], { streamed: true })
    expect(await it.next()).toMatchObject({ type: 'sync', items: ['a@5'] })
    expect(it.troubles).toEqual([])
  }
})
