import { expect, test } from 'vitest'
import { observeProcess, recordFrom } from '../../../src/agent/health/process-record.ts'
import type { ServiceState } from '../../../src/agent/ports.ts'

const gone: ServiceState = {
  exists: true,
  isGone: false,
  active: 'inactive',
  enabled: true,
  isStatic: false,
  mainPid: 0,
  restarts: 0,
  runningFor: 0,
  lastExit: 0,
}
const running: ServiceState = { ...gone, active: 'active', mainPid: 7 }
const look = (at: number, service: ServiceState) => ({ at, now: at, service })

test('process that ends well has exited, too, and once', () => {
  const ran = observeProcess(recordFrom(0, 0), look(1000, running))
  const ended = observeProcess(ran, look(2000, gone))

  expect(ended).toMatchObject({ pid: 0, exits: 1, down: true, downSince: 2000 })
  expect(observeProcess(ended, look(3000, gone))).toEqual(ended)
})

test('service that has not started its process yet has not exited', () => {
  const before = recordFrom(0, 0)

  expect(observeProcess(before, look(1000, gone))).toEqual(before)
})
