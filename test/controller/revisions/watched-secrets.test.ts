import { expect, test } from 'vitest'
import { headOf, WatchedSecrets } from '../../../src/controller/revisions/watched-secrets.ts'
import { aSnapshot } from '../a-snapshot.ts'

const NOW = Date.UTC(2026, 10, 22)
const A = 'a'.repeat(40)
const event = headOf(aSnapshot('a'))

/** One Secret, which is another object after each change. */
function watched() {
  const secrets = new WatchedSecrets()
  let secret: object | undefined = {}
  let contents = 0
  const take = () => secrets.watch({ event, revision: `${A}+${contents}`, seen: [secret], look: () => [secret] })
  take()
  return {
    secrets,
    take,
    change: (to: object | undefined = {}) => {
      secret = to
      contents += 1
    },
    /** Labels, for example: another object with equal contents. */
    touch: () => {
      secret = {}
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

/** In which of these minutes it is taken again, when this happens each minute. */
function takenIn(minutes: readonly number[], { secrets, take }: ReturnType<typeof watched>, happen: () => void): number[] {
  return minutes.filter((minute) => {
    happen()
    const again = secrets.changed(NOW + minute * 60_000)
    if (again) take()
    return again !== undefined
  })
}

const minutesFrom = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index)

test('a Secret that changes all the time is taken again ever later, up to once an hour: rollouts have time to end', () => {
  const play = watched()
  expect(takenIn(minutesFrom(0, 250), play, play.change)).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243])
  play.change()
  expect(play.secrets.changed(NOW + 250 * 60_000)).toBeUndefined()
  expect(play.secrets.wakeAt).toBe(NOW + 303 * 60_000)
})

test('a Secret that has come to rest for twice as long is taken after a minute again', () => {
  const play = watched()
  takenIn(minutesFrom(0, 4), play, play.change)
  expect(takenIn([20, 21], play, play.change)).toEqual([20, 21])
})

test('a Secret whose object changes each minute, and its contents do not, is taken after a minute at the latest', () => {
  const play = watched()
  expect(takenIn(minutesFrom(0, 5), play, play.touch)).toEqual([0, 1, 2, 3, 4])
  expect(takenIn([5, 6], play, play.change)).toEqual([5, 6])
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
