/** Who acts by the page: the key comes with the address, and the command may be slow to answer. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { canAct, openSession } from '../../../src/dashboard/page/session.js'
import { pageDouble } from './page-double.ts'

/** The page as a tab has it that opened an address, with what the tab kept. */
function aPage({ hash = '#key=secret', kept = new Map<string, string>() } = {}) {
  vi.useFakeTimers()
  const page = pageDouble()
  const before = [globalThis.location, globalThis.history, globalThis.sessionStorage] as const
  const sessionStorage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
  }
  Object.assign(globalThis, { location: { hash, pathname: '/' }, history: { replaceState: () => {} }, sessionStorage })
  onTestFinished(() => {
    vi.useRealTimers()
    Object.assign(globalThis, { location: before[0], history: before[1], sessionStorage: before[2] })
  })
  return { ...page, kept, opened: openSession() }
}

const SESSION = { user: 'grace', cluster: 'https://192.0.2.10:6443' }
const refusing = (status: number) => new Response('no\n', { status })

test('page may act when the command knows the key', async () => {
  const { opened, answer, kept } = aPage()
  await answer('session', Response.json(SESSION))
  expect([await opened, canAct(), [...kept.values()]]).toEqual([{ key: 'secret', ...SESSION }, true, ['secret']])
})

test.each([
  ['the connection breaks', new TypeError('Failed to fetch')],
  ['the command had no time', refusing(408)],
  ['the answer is cut off', new Response('{"user":')],
])('page asks again for its session when %s', async (_, first) => {
  const { opened, answer, kept } = aPage()
  await answer('session', first)
  await vi.advanceTimersByTimeAsync(1_000)
  await answer('session', Response.json(SESSION))
  expect([await opened, [...kept.values()]]).toEqual([{ key: 'secret', ...SESSION }, ['secret']])
})

test.each([
  ['the key is of a command that has ended', 403],
  ['the page only reads', 404],
])('page forgets the key when %s', async (_, status) => {
  const { opened, answer, kept } = aPage({ hash: '', kept: new Map([['nodewave-key', 'old']]) })
  await answer('session', refusing(status))
  expect([await opened, [...kept.values()]]).toEqual([undefined, []])
})

test('page asks for no session when it has no key', async () => {
  const { opened, answer } = aPage({ hash: '' })
  expect(await opened).toBe(undefined)
  await expect(answer('session', Response.json(SESSION))).rejects.toThrow('nobody asked for "session"')
})
