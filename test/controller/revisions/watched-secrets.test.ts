import { expect, test } from 'vitest'
import { headOf, WatchedSecrets } from '../../../src/controller/revisions/watched-secrets.ts'
import { aSnapshot } from '../a-snapshot.ts'

const NOW = Date.UTC(2026, 10, 22)
const event = headOf(aSnapshot('a'))

/** One Secret, which is another object after each change. */
function watched() {
  const secrets = new WatchedSecrets()
  let secret: object | undefined = {}
  const take = () => secrets.watch({ event, seen: [secret], look: () => [secret] })
  take()
  return {
    secrets,
    take,
    change: (to: object | undefined = {}) => {
      secret = to
    },
  }
}

test('Secrets that stay as they are bring nothing', () => {
  expect(watched().secrets.changed(NOW)).toBeUndefined()
})

test.each([
  ['changes', {}],
  ['goes away', undefined],
])('a Secret that %s brings the commit again, once it is taken no more', (_, to) => {
  const { secrets, take, change } = watched()
  change(to)
  expect(secrets.changed(NOW)).toBe(event)
  take()
  expect(secrets.changed(NOW)).toBeUndefined()
})

test('a Secret that changes all the time is taken once a minute, and the instant of the next time is told', () => {
  const { secrets, take, change } = watched()
  const taken = Array.from({ length: 300 }, (_, second) => {
    change()
    const again = secrets.changed(NOW + second * 1000)
    if (again) take()
    return again
  })
  expect(taken.flatMap((again, second) => (again ? [second] : []))).toEqual([0, 60, 120, 180, 240])
  change()
  expect(secrets.changed(NOW + 250_000)).toBeUndefined()
  expect(secrets.wakeAt).toBe(NOW + 300_000)
})

test('a clock that is put back keeps no Secret from the nodes', () => {
  const { secrets, take, change } = watched()
  change()
  secrets.changed(NOW)
  take()
  change()
  expect(secrets.changed(NOW - 3_600_000)).toBe(event)
})

test('nothing is taken any more of a commit that another one has replaced', () => {
  const { secrets, change } = watched()
  change()
  secrets.forget()
  expect(secrets.changed(NOW)).toBeUndefined()
  expect(secrets.wakeAt).toBeUndefined()
})

test('a snapshot of a kept revision is the commit again, with nothing taken', () => {
  const commit = 'a'.repeat(40)
  const kept = {
    ...aSnapshot('a'),
    commit: `${commit}+1a2b3c4d`,
    secrets: new Map([['db/x', { bytes: Buffer.from('y'), hash: 'h' }]]),
  }
  expect(headOf(kept)).toEqual({ kind: 'head', snapshot: aSnapshot('a') })
})
