import { expect, test } from 'vitest'
import { backoff } from '../../src/kube/backoff.ts'

test('backoff doubles from 0.8 s to 30 s when failures follow each other', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 100].map((failures) => backoff(failures, () => 0.5))).toEqual([
    800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000,
  ])
})

test('backoff spreads over half to one and a half of its length', () => {
  expect([backoff(1, () => 0), backoff(1, () => 0.999)]).toEqual([400, 1199])
})

test('backoff keeps to the pauses it is given', () => {
  const pauses = { first: 1000, longest: 60_000 }
  expect([1, 2, 6, 7, 1000].map((failures) => backoff(failures, () => 0.5, pauses))).toEqual([1000, 2000, 32_000, 60_000, 60_000])
})
