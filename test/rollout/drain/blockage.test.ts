import { expect, test } from 'vitest'
import { describeDrain } from '../../../src/rollout/drain/blockage.ts'
import type { Underway } from '../../../src/rollout/model/drain.ts'
import { noon } from '../builders/instants.ts'

const drain = (more: Partial<Underway>) => ({ kind: 'Underway', since: noon, deadline: noon + 60_000, ...more }) as Underway

test('describeDrain says why pods are not known: they were not read yet, cannot be read, or none remains', () => {
  const since = '"n1", drained since 2026-11-21T12:00:00.000Z'

  expect(describeDrain('n1', drain({}))).toBe(`${since}: its pods are not known yet`)
  expect(describeDrain('n1', drain({ trouble: 'forbidden' }))).toBe(`${since}: its pods cannot be read: forbidden`)
  expect(describeDrain('n1', drain({ remaining: [] }))).toBe(`${since}: no pod remains`)
})
