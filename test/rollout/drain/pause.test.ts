import { expect, test } from 'vitest'
import { aPod } from '../builders/pods.ts'
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

test('a pause that stops drains ends the drain under way, evicts no further pod and gives an emptied node nothing', () => {
  const controls = { paused: 'the drain hurts', stopDrains: true } as const

  expect(done(upgrade({ controls, pods: { a: [aPod('x')] } }, a.drainedFor('new'), b))).toEqual(['uncordon a'])
  expect(done(upgrade({ controls, pods: { a: [] } }, a.drainedFor('new'), b))).toEqual(['uncordon a'])
})

test('a pause of the fleet that stops drains ends those of every pool', () => {
  const fleet = { paused: '', stopDrains: true } as const

  expect(done(upgrade({ fleet, pods: { a: [aPod('x')] } }, a.drainedFor('new'), b))).toEqual(['uncordon a'])
})

test('the mark that stops drains has no effect without a pause', () => {
  expect(done(upgrade({ controls: { stopDrains: true }, pods: { a: [aPod('x')] } }, a.drainedFor('new')))).toEqual(['evict a x'])
})
