import { expect, test } from 'vitest'
import { duePosts, type Posted } from '../../../src/controller/commit-status/due-posts.ts'

const status = { commit: 'a', context: 'nodewave/workers', state: 'pending', description: '2/3 nodes' } as const
const posted = (more: Partial<Posted> = {}) =>
  new Map([['a nodewave/workers', { state: 'pending', description: '1/3 nodes', at: 1_000, count: 0, ...more } as Posted]])

test('what was never said is said at once, unless nodes have left the commit', () => {
  expect(duePosts([{ ...status, isPast: false }], { posted: new Map() }, 0)).toEqual({ due: [status], wakeAt: undefined })
  expect(duePosts([{ ...status, isPast: true }], { posted: new Map() }, 0)).toEqual({ due: [], wakeAt: undefined })
})

test('what is shown already is not said again', () => {
  const shown = posted({ description: '2/3 nodes' })
  expect(duePosts([{ ...status, isPast: false }], { posted: shown }, 9_000)).toEqual({ due: [], wakeAt: undefined })
})

test('a new description waits five seconds after the last one, and longer the more there were', () => {
  const wanted = [{ ...status, isPast: false }]
  expect(duePosts(wanted, { posted: posted() }, 5_999)).toEqual({ due: [], wakeAt: 6_000 })
  expect(duePosts(wanted, { posted: posted() }, 6_000)).toEqual({ due: [status], wakeAt: undefined })
  expect(duePosts(wanted, { posted: posted({ count: 100 }) }, 6_000)).toEqual({ due: [], wakeAt: 31_000 })
})

test('a new description is posted at once after the clock was put back', () => {
  expect(duePosts([{ ...status, isPast: false }], { posted: posted() }, 999)).toEqual({ due: [status], wakeAt: undefined })
})

test('a new state waits for nothing, also of a commit that nodes have left', () => {
  const failed = { ...status, state: 'failure' } as const
  for (const isPast of [false, true])
    expect(duePosts([{ ...failed, isPast }], { posted: posted({ count: 100 }) }, 1_001)).toEqual({
      due: [failed],
      wakeAt: undefined,
    })
})

test('a commit that nodes have left keeps the description of its state', () => {
  expect(duePosts([{ ...status, isPast: true }], { posted: posted() }, 99_000)).toEqual({ due: [], wakeAt: undefined })
})

test('a new description is not posted where only states are', () => {
  const only = { posted: posted(), repeats: false }
  expect(duePosts([{ ...status, isPast: false }], only, 99_000)).toEqual({ due: [], wakeAt: undefined })
  const failed = { ...status, state: 'failure' } as const
  expect(duePosts([{ ...failed, isPast: false }], only, 1_001).due).toEqual([failed])
})
