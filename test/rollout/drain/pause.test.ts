import { expect, test } from 'vitest'
import { aPod } from '../builders.ts'
import { a, b, done, upgrade } from './upgrade.ts'

test('a paused pool cordons nobody, and ends the drain that it began', () => {
  const controls = { paused: '' }

  expect(done(upgrade({ controls }, a))).toEqual([])
  expect(done(upgrade({ controls, pods: { a: [aPod('x')] } }, a.drainedFor('new'), b))).toEqual(['evict a x'])
  expect(done(upgrade({ controls, pods: { a: [] } }, a.drainedFor('new'), b))).toEqual(['assign a new drain'])
})

test('a pause ends a drain for what came after it: that would be a beginning', () => {
  expect(done(upgrade({ head: 'newer', controls: { paused: '' }, pods: { a: [] } }, a.drainedFor('new')))).toEqual(['uncordon a'])
})
