import { expect, test } from 'vitest'
import { QueueWaits } from '../../../src/controller/execution/queue-waits.ts'

function someWaits() {
  const [clock, told]: [{ now: number }, number[]] = [{ now: 5000 }, []]
  const waits = new QueueWaits({ elapsed: () => clock.now, sent: (waited) => told.push(waited) })
  return { clock, told, waits }
}

test('a write waits from when it is queued until it is sent', () => {
  const { clock, told, waits } = someWaits()
  waits.queued('node n0')
  waits.sent('node n0')
  waits.queued('node n1')
  clock.now = 5040
  waits.sent('node n1')
  expect(told).toEqual([0, 40])
})

test('a write that passes take back and decide again waits since it was queued first', () => {
  const { clock, told, waits } = someWaits()
  waits.queued('node n0')
  for (const now of [5100, 5200]) {
    clock.now = now
    waits.recalled()
    waits.queued('node n0')
  }
  clock.now = 5230
  waits.sent('node n0')
  expect(told).toEqual([230])
})

test('a write that a pass takes back for good is not told of, and a later one of the same node waits anew', () => {
  const { clock, told, waits } = someWaits()
  waits.queued('node n0')
  waits.recalled()
  waits.recalled()
  clock.now = 9000
  waits.queued('node n0')
  clock.now = 9010
  waits.sent('node n0')
  expect(told).toEqual([10])
})

test('a second write of a node between two passes does not wait since the first one was queued', () => {
  const { clock, told, waits } = someWaits()
  waits.queued('node n0')
  clock.now = 5500
  waits.recalled()
  waits.queued('node n0')
  waits.sent('node n0')
  waits.queued('node n0')
  waits.sent('node n0')
  expect(told).toEqual([500, 0])
})
