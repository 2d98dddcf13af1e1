import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertySeed } from './seed.ts'

test('properties draw the same cases in every run unless FC_SEED says otherwise', () => {
  expect(propertySeed(undefined)).toBe(1)
  expect(propertySeed('')).toBe(1)
  expect(propertySeed('-7')).toBe(-7)
  expect(propertySeed('random')).toBeUndefined()
})

test('FC_SEED is refused when it is neither a number nor random', () => {
  expect(() => propertySeed('1..10')).toThrow('read FC_SEED "1..10": it must be a whole number, or random')
})

test('every file of tests draws by that seed', () => {
  expect(fc.readConfigureGlobal().seed).toBe(propertySeed(process.env.FC_SEED))
})
