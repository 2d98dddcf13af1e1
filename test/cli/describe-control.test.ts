import { expect, test } from 'vitest'
import { describeControl } from '../../src/cli/describe-control.ts'
import type { ControlRecord } from '../../src/protocol/node-pool.ts'

const RECORD: ControlRecord = {
  action: 'Hold',
  at: '2026-11-21T08:00:00.000Z',
  outcome: 'Done',
  message: 'excluded from rollouts',
}

test('a control tells who did what, to which nodes, in the words that they gave', () => {
  expect(describeControl({ ...RECORD, who: 'ada', nodes: ['n1', 'n2'], value: 'disk' })).toBe(
    '2026-11-21T08:00:00.000Z ada: Hold n1, n2 "disk"; excluded from rollouts',
  )
})

test('a control names a commit by its first seven characters', () => {
  const value = '90832c90cc94bd497433da37968773b811a7c4e6'
  expect(describeControl({ ...RECORD, action: 'Rollback', value, message: 'the pool goes to 90832c9' })).toBe(
    '2026-11-21T08:00:00.000Z somebody: Rollback 90832c9; the pool goes to 90832c9',
  )
})

test('a control that was refused says so, and a long reason is cut', () => {
  expect(describeControl({ ...RECORD, value: 'x'.repeat(60), outcome: 'Refused', message: 'no such commit' })).toBe(
    `2026-11-21T08:00:00.000Z somebody: Hold "${'x'.repeat(49)}…"; refused: no such commit`,
  )
})
