import { expect, test } from 'vitest'
import { RecentPlans } from '../../../src/cli/controller/recent-plans.ts'

test('a plan is made once in five seconds for a pool, however many ask', async () => {
  let [now, made] = [0, 0]
  const plans = new RecentPlans(() => now)
  const make = async () => {
    made += 1
    return undefined
  }
  await Promise.all([plans.of('a', 'commit', make), plans.of('a', 'commit', make), plans.of('b', 'commit', make)])
  now = 4_999
  await plans.of('a', 'commit', make)
  expect(made).toBe(2)
  now = 5_000
  await plans.of('a', 'commit', make)
  expect(made).toBe(3)
})

test('a plan that takes long is shown for longer, and not made twice at once', async () => {
  let [now, made] = [0, 0]
  const plans = new RecentPlans(() => now)
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const make = () => {
    made += 1
    return promise
  }
  const first = plans.of('a', 'commit', make)
  now = 6_000
  const second = plans.of('a', 'commit', make)
  resolve(undefined)
  await Promise.all([first, second])
  now = 125_999
  await plans.of('a', 'commit', make)
  expect(made).toBe(1)
  now = 126_000
  await plans.of('a', 'commit', make)
  expect(made).toBe(2)
})

test('a plan of another commit is made at once', async () => {
  let made = 0
  const plans = new RecentPlans(() => 0)
  const make = async () => {
    made += 1
    return undefined
  }
  await plans.of('a', 'commit', make)
  await plans.of('a', 'next commit', make)
  await plans.of('a', 'next commit', make)
  expect(made).toBe(2)
})
