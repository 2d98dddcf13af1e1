import { expect, test } from 'vitest'
import { type FollowEvent, type FollowOptions, KubeError } from '../../src/kube/kube-api.ts'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { ManualTimers } from './manual-timers.ts'
import { type Answer, json, lines, listOf, refusal, scriptedServer, watching } from './scripted-server.ts'

const NODES = '/api/v1/nodes'

async function startFollow(answers: readonly Answer[], options: Partial<FollowOptions<string>> = {}) {
  const server = await scriptedServer(answers)
  const timers = new ManualTimers()
  const troubles: string[] = []
  const silences: number[] = []
  let opened = 0
  const client = createKubeClient({ server: server.url, credentials: async () => ({}) }, { timers, random: () => 0.5 })
  const stop = new AbortController()
  const events = client.follow(NODES, {
    project: (object) => `${object.metadata.name}@${object.metadata.resourceVersion}`,
    onTrouble: (error) => {
      troubles.push(error instanceof KubeError ? error.reason : String(error))
      if (error instanceof KubeError && error.silentFor !== undefined) silences.push(error.silentFor)
    },
    onOpen: () => opened++,
    signal: stop.signal,
    ...options,
  })
  const iterator = events[Symbol.asyncIterator]()
  const next = async (): Promise<FollowEvent<string> | undefined> => (await iterator.next()).value
  const dispose = async () => {
    stop.abort()
    await server[Symbol.asyncDispose]()
  }
  return { server, timers, troubles, silences, opened: () => opened, next, stop, [Symbol.asyncDispose]: dispose }
}

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

test('follow waits as long as asked when the server is overloaded', async () => {
  const busy = json({ kind: 'Status', reason: 'TooManyRequests', message: 'slow down' }, 429, { 'retry-after': '7' })
  await using it = await startFollow([busy, refusal(503, 'ServiceUnavailable'), listOf([], '5')])
  const next = it.next()
  await it.timers.pass(7000)
  await it.timers.pass(1600)
  expect(await next).toMatchObject({ type: 'sync', items: [] })
  expect(it.troubles).toEqual(['TooManyRequests', 'ServiceUnavailable'])
})

test('follow goes on from the last version when a watch that has spoken falls silent', async () => {
  const first = watching([{ type: 'ADDED', name: 'a', version: '9' }], 'silence')
  const second = watching([{ type: 'MODIFIED', name: 'a', version: '10' }], 'silence')
  await using it = await startFollow([listOf([], '5'), first, listOf(['a'], '9'), second], { stallAfter: 1234 })
  await it.next()
  await it.next()
  const next = it.next()
  await it.timers.pass(1234)
  await it.timers.pass(800)
  expect(await next).toEqual({ type: 'upsert', item: 'a@10' })
  expect(it.server.received[3]?.url.searchParams.get('resourceVersion')).toBe('9')
  expect(it.troubles).toEqual(['Stalled'])
  expect(it.silences).toEqual([1234])
})

test('follow finds out within 17 s of silence that a watch keeps back what another one tells', async () => {
  const first = watching([{ type: 'ADDED', name: 'a', version: '9' }], 'silence')
  const second = watching([{ type: 'MODIFIED', name: 'a', version: '10' }], 'silence')
  const answers = [listOf([], '5'), first, second, listOf(['a'], '10'), second]
  await using it = await startFollow(answers, { isAwaited: () => true, labelSelector: 'x=y' })
  await it.next()
  await it.next()
  const next = it.next()
  await it.timers.pass(15_000)
  await it.timers.pass(2_000)
  await it.timers.pass(800)
  expect(await next).toEqual({ type: 'upsert', item: 'a@10' })
  expect(Object.fromEntries(it.server.received[2]?.url.searchParams ?? [])).toEqual({
    labelSelector: 'x=y',
    watch: 'true',
    resourceVersion: '9',
    timeoutSeconds: '1',
  })
  expect(Object.fromEntries(it.server.received[3]?.url.searchParams ?? [])).toEqual({ labelSelector: 'x=y', limit: '1' })
  expect(it.server.received[4]?.url.searchParams.get('resourceVersion')).toBe('9')
  expect([it.troubles, it.silences]).toEqual([['Stalled'], [17_000]])
})

test('follow keeps a silent watch for which another one tells nothing, an error or never ends, and asks again', async () => {
  let speak = (_: string): void => {}
  const first: Answer = (response) => {
    response.writeHead(200).write(lines([{ type: 'ADDED', name: 'a', version: '9' }]))
    speak = (version) => response.write(lines([{ type: 'MODIFIED', name: 'a', version }]))
  }
  const bookmark = watching([{ type: 'BOOKMARK', version: '12' }], 'end')
  const asked = Promise.withResolvers<void>()
  const mute: Answer = (response) => {
    response.writeHead(200).flushHeaders()
    asked.resolve()
  }
  const answers = [listOf([], '5'), first, bookmark, refusal(504, 'Timeout'), mute, bookmark]
  await using it = await startFollow(answers, { isAwaited: () => true, stallAfter: 600_000 })
  await it.next()
  await it.next()
  const next = it.next()
  await it.timers.pass(15_000)
  await it.timers.pass(15_000)
  await it.timers.pass(15_000)
  await asked.promise
  await it.timers.pass(5_000)
  await it.timers.pass(15_000)
  await it.timers.awaited(15_000)
  speak('13')
  expect(await next).toEqual({ type: 'upsert', item: 'a@13' })
  expect([it.troubles, it.server.received.length]).toEqual([[], 6])
})

test('follow keeps a watch that tells late what another one told', async () => {
  let speak = (): void => {}
  const first: Answer = (response) => {
    response.writeHead(200).write(lines([{ type: 'ADDED', name: 'a', version: '9' }]))
    speak = () => response.write(lines([{ type: 'MODIFIED', name: 'a', version: '10' }]))
  }
  const second = watching([{ type: 'MODIFIED', name: 'a', version: '10' }], 'end')
  await using it = await startFollow([listOf([], '5'), first, second], { isAwaited: () => true })
  await it.next()
  await it.next()
  const next = it.next()
  await it.timers.pass(15_000)
  await it.timers.awaited(2_000)
  speak()
  expect(await next).toEqual({ type: 'upsert', item: 'a@10' })
  it.timers.advance(2_000)
  expect(it.troubles).toEqual([])
})

test('follow sends no request for a silent watch while nothing is awaited', async () => {
  const first = watching([{ type: 'ADDED', name: 'a', version: '9' }], 'silence')
  let isAwaited = false
  await using it = await startFollow([listOf([], '5'), first, first, listOf(['a'], '9'), first], { isAwaited: () => isAwaited })
  await it.next()
  await it.next()
  const next = it.next()
  await it.timers.pass(15_000)
  await it.timers.pass(15_000)
  expect(it.server.received).toHaveLength(2)
  isAwaited = true
  await it.timers.pass(15_000)
  await it.timers.pass(2_000)
  await it.timers.pass(800)
  await next
  expect(it.server.received).toHaveLength(5)
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

test('follow lists again when a watch stays silent from its first moment, as one of a restored server does', async () => {
  const answers = [listOf(['a'], '5000'), watching([], 'silence'), listOf(['b'], '40'), watching([], 'silence')]
  await using it = await startFollow(answers, { stallAfter: 1234 })
  await it.next()
  const next = it.next()
  await it.timers.pass(1234)
  await it.timers.pass(800)
  expect(await next).toMatchObject({ type: 'sync', items: ['b@40'] })
  expect(it.troubles).toEqual(['Stalled'])
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
