import { expect, test } from 'vitest'
import { type Answer, json, lines, listOf, refusal, watching } from './scripted-server.ts'
import { startFollow } from './some-follow.ts'

test('follow gives the list and then each change when nothing goes wrong', async () => {
  const changes = watching(
    [
      { type: 'ADDED', name: 'b', version: '6' },
      { type: 'MODIFIED', name: 'a', version: '7' },
      { type: 'DELETED', name: 'b', version: '8' },
    ],
    'silence',
  )
  await using it = await startFollow([listOf(['a'], '5'), changes], { labelSelector: 'pool=workers' })
  expect(await it.next()).toMatchObject({ type: 'sync', items: ['a@5'] })
  expect(await it.next()).toEqual({ type: 'upsert', item: 'b@6' })
  expect(await it.next()).toEqual({ type: 'upsert', item: 'a@7' })
  expect(await it.next()).toEqual({ type: 'delete', name: 'b', namespace: '', resourceVersion: '8' })
  expect(Object.fromEntries(it.server.received[0]?.url.searchParams ?? [])).toEqual({
    labelSelector: 'pool=workers',
    limit: '100',
  })
  expect(Object.fromEntries(it.server.received[1]?.url.searchParams ?? [])).toEqual({
    labelSelector: 'pool=workers',
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: '5',
    timeoutSeconds: '450',
  })
})

test('follow says that it asks for a list before it does, and which version the list is of', async () => {
  const gone = watching(
    `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } })}\n`,
    'end',
  )
  const asked: number[] = []
  const answers = [listOf(['a'], '5'), gone, listOf(['b'], '50'), watching([], 'silence')]
  await using it = await startFollow(answers, { onList: () => asked.push(it.server.received.length) })
  expect(await it.next()).toEqual({ type: 'sync', items: ['a@5'], resourceVersion: '5' })
  const next = it.next()
  await it.timers.pass(0)
  expect(await next).toEqual({ type: 'sync', items: ['b@50'], resourceVersion: '50' })
  expect(asked).toEqual([0, 2])
})

test('follow goes on from the last bookmark, without a pause, when a proved watch ends', async () => {
  let endWatch = () => {}
  const first: Answer = (response) => {
    response.writeHead(200).write(
      lines([
        { type: 'ADDED', name: 'a', version: '91' },
        { type: 'BOOKMARK', version: '99' },
      ]),
    )
    endWatch = () => response.end()
  }
  await using it = await startFollow([
    listOf([], '5'),
    first,
    watching([{ type: 'ADDED', name: 'b', version: '100' }], 'silence'),
  ])
  await it.next()
  expect(await it.next()).toEqual({ type: 'upsert', item: 'a@91' })
  const next = it.next()
  it.timers.advance(5000)
  endWatch()
  await it.timers.pass(0)
  expect(await next).toEqual({ type: 'upsert', item: 'b@100' })
  expect(it.server.received[2]?.url.searchParams.get('resourceVersion')).toBe('99')
  expect(it.troubles).toEqual([])
})

test('follow waits longer each time when the server ends every watch at once', async () => {
  await using it = await startFollow([
    listOf([], '5'),
    watching([], 'end'),
    watching([], 'end'),
    watching([{ type: 'ADDED', name: 'a', version: '6' }], 'silence'),
  ])
  await it.next()
  const next = it.next()
  await it.timers.pass(800)
  await it.timers.pass(1600)
  expect(await next).toEqual({ type: 'upsert', item: 'a@6' })
})

test('follow tells each time that the server has ended a watch, before it waits and opens another one', async () => {
  const told: string[] = []
  const [onEnd, onOpen] = [() => told.push(`end at ${it.timers.elapsed()}`), () => told.push(`open at ${it.timers.elapsed()}`)]
  const answers = [listOf([], '5'), watching([], 'end'), watching([{ type: 'ADDED', name: 'a', version: '6' }], 'silence')]
  await using it = await startFollow(answers, { onEnd, onOpen })
  await it.next()
  const next = it.next()
  await it.timers.pass(800)
  await next
  expect(told).toEqual(['open at 0', 'end at 0', 'open at 800'])
})

test('follow goes on from the last whole event when the connection breaks in the middle of a line', async () => {
  const half = `${JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'a', resourceVersion: '6' } } })}\n{"type":"ADDED","obj`
  await using it = await startFollow([
    listOf([], '5'),
    watching(half, 'break'),
    listOf(['a'], '6'),
    watching([{ type: 'ADDED', name: 'b', version: '7' }], 'silence'),
  ])
  await it.next()
  expect(await it.next()).toEqual({ type: 'upsert', item: 'a@6' })
  const next = it.next()
  await it.timers.pass(800)
  expect(await next).toEqual({ type: 'upsert', item: 'b@7' })
  expect(it.server.received[3]?.url.searchParams.get('resourceVersion')).toBe('6')
  expect(it.troubles).toEqual(['Unreachable'])
})

test('follow waits as long as asked when the server is overloaded', async () => {
  const busy = json({ kind: 'Status', reason: 'TooManyRequests', message: 'slow down' }, 429, { 'retry-after': '7' })
  await using it = await startFollow([busy, refusal(503, 'ServiceUnavailable'), listOf([], '5')])
  const next = it.next()
  await it.timers.pass(7000)
  await it.timers.pass(1600)
  expect(await next).toMatchObject({ type: 'sync', items: [] })
  expect(it.troubles).toEqual(['TooManyRequests', 'ServiceUnavailable'])
})

test('follow waits a minute at most, whatever a proxy asks for', async () => {
  const closed = json('closed for today', 503, { 'retry-after': '86400' })
  await using it = await startFollow([closed, listOf([], '5')])
  const next = it.next()
  await it.timers.pass(60_000)
  expect(await next).toMatchObject({ type: 'sync', items: [] })
})

test('follow tells each time that a watch stands, and not when one is refused', async () => {
  const silent = watching([{ type: 'ADDED', name: 'a', version: '6' }], 'silence')
  const change = watching([{ type: 'ADDED', name: 'a', version: '10' }], 'silence')
  const known = listOf(['a'], '6')
  const answers = [listOf([], '5'), silent, known, refusal(503, 'ServiceUnavailable'), known, change]
  await using it = await startFollow(answers, { stallAfter: 1234 })
  await it.next()
  expect(it.opened()).toBe(0)
  await it.next()
  expect(it.opened()).toBe(1)
  const next = it.next()
  await it.timers.pass(1234)
  await it.timers.pass(800)
  await it.timers.pass(1600)
  await next
  expect(it.opened()).toBe(2)
})

test('follow retries with a pause when a line is not JSON, not an event, or endless', async () => {
  const endless: Answer = (response) => response.writeHead(200).end(Buffer.alloc(9 * 1024 * 1024, 'x'))
  await using it = await startFollow([
    listOf([], '5'),
    watching('{"type":\n', 'end'),
    listOf([], '5'),
    watching('{"type":"ADDED"}\n', 'end'),
    listOf([], '5'),
    endless,
    listOf([], '5'),
    watching([{ type: 'ADDED', name: 'a', version: '6' }], 'silence'),
  ])
  await it.next()
  const next = it.next()
  await it.timers.pass(800)
  await it.timers.pass(1600)
  await it.timers.pass(3200)
  expect(await next).toEqual({ type: 'upsert', item: 'a@6' })
  expect(it.troubles).toEqual(['Unreadable', 'Unreadable', 'Unreachable'])
})

test('follow fails with the refusal when the collection may not be read', async () => {
  await using it = await startFollow([refusal(403, 'Forbidden', 'nodes is forbidden')])
  await expect(it.next()).rejects.toThrow('failed to list "/api/v1/nodes": nodes is forbidden (403)')
})

test('follow ends quietly when it is aborted in the middle of a watch', async () => {
  await using it = await startFollow([listOf([], '5'), watching([{ type: 'ADDED', name: 'a', version: '6' }], 'silence')])
  await it.next()
  await it.next()
  const next = it.next()
  it.stop.abort()
  expect(await next).toBeUndefined()
})

test('follow ends quietly when it is aborted during a pause', async () => {
  await using it = await startFollow([refusal(503, 'ServiceUnavailable')])
  const next = it.next()
  await it.timers.awaited(800)
  it.stop.abort()
  expect(await next).toBeUndefined()
})

test('follow passes on the error when projecting an object fails', async () => {
  const project = () => {
    throw new Error('no such field')
  }
  await using it = await startFollow([listOf(['a'], '5')], { project })
  await expect(it.next()).rejects.toThrow('no such field')
})
