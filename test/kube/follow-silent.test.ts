import { expect, test } from 'vitest'
import { type Answer, lines, listOf, refusal, watching } from './scripted-server.ts'
import { startFollow } from './some-follow.ts'

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
