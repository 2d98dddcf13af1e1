import { expect, test } from 'vitest'
import { parseShow } from '../../../src/apply/adapters/systemd.ts'

test('parseShow reads a running kubelet', () => {
  const output =
    'MainPID=812\nNRestarts=0\nExecMainStartTimestampMonotonic=90500000\nExecMainStatus=0\nLoadState=loaded\nActiveState=active\nUnitFileState=enabled\n'
  expect(parseShow(output, 100_000)).toEqual({
    exists: true,
    active: 'active',
    enabled: true,
    mainPid: 812,
    restarts: 0,
    runningFor: 9500,
    lastExit: 0,
  })
})

test('parseShow reads a crash loop, which systemd calls activating', () => {
  const output =
    'MainPID=0\nNRestarts=2\nExecMainStartTimestampMonotonic=1000\nExecMainStatus=1\nLoadState=loaded\nActiveState=activating\nUnitFileState=enabled\n'
  expect(parseShow(output, 5000)).toMatchObject({ active: 'activating', mainPid: 0, runningFor: 0, restarts: 2, lastExit: 1 })
})

test('parseShow says that a unit which systemd has not found does not exist', () => {
  expect(parseShow('LoadState=not-found\nActiveState=inactive\nUnitFileState=\nMainPID=0\n', 5)).toEqual({
    exists: false,
    active: 'inactive',
    enabled: false,
    mainPid: 0,
    restarts: 0,
    runningFor: 0,
    lastExit: 0,
  })
})
