import { expect, test } from 'vitest'
import { DeliveryLimits } from '../../../src/forge/webhook/delivery-limits.ts'

test('thirty requests come at once, and two a second after that', () => {
  const limits = new DeliveryLimits()
  expect(Array.from({ length: 30 }, () => limits.admit(0))).toEqual(Array.from({ length: 30 }, () => undefined))
  expect([limits.admit(0), limits.admit(499), limits.admit(500), limits.admit(500)]).toEqual([1, 1, undefined, 1])
})

test('a clock that is put back lets nobody in', () => {
  const limits = new DeliveryLimits()
  for (let count = 0; count < 30; count += 1) limits.admit(10_000)
  expect(limits.admit(0)).toBe(1)
})

test('a body that was taken is known again, also after 999 others', () => {
  const limits = new DeliveryLimits()
  expect(limits.isReplay(Buffer.from('first'))).toBe(false)
  for (let count = 0; count < 999; count += 1) limits.isReplay(Buffer.from(`${count}`))
  expect(limits.isReplay(Buffer.from('first'))).toBe(true)
  limits.isReplay(Buffer.from('one more'))
  expect(limits.isReplay(Buffer.from('first'))).toBe(false)
})
