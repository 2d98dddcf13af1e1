import { expect, test } from 'vitest'
import { complaintOf, lockHolderIn, parseSimulation } from '../../../src/agent/adapters/apt/simulation.ts'

test('parseSimulation reads what comes, goes and changes, whatever the architecture', () => {
  const output = `Inst lib (2.0 Debian:12.1/stable [amd64])
Inst app [1.0] (1:2.0~rc1 localhost [all]) []
Inst libc6:i386 [2.36-9] (2.36-10 Debian:12/stable [i386])
Remv tool [1.0]
Conf lib (2.0 Debian:12.1/stable [amd64])
`
  expect(parseSimulation(output)).toEqual([
    { name: 'lib', architecture: 'amd64', to: '2.0' },
    { name: 'app', architecture: 'all', from: '1.0', to: '1:2.0~rc1' },
    { name: 'libc6', architecture: 'i386', from: '2.36-9', to: '2.36-10' },
    { name: 'tool', architecture: '', from: '1.0' },
  ])
})

test('lockHolderIn names who kept apt from its lock, and nobody when apt waited and went on', () => {
  const held = 'Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 4711 (unattended-upgr)'
  expect(lockHolderIn(`E: ${held}\nN: Be aware that removing the lock file is not a solution`)).toBe('unattended-upgr (pid 4711)')
  expect(lockHolderIn('dpkg: error: dpkg frontend lock was locked by another process with pid 4711\n')).toBe('another process')
  expect(lockHolderIn(`Waiting for cache lock: ${held}\nE: Sub-process /usr/bin/dpkg returned an error code (1)`)).toBeUndefined()
})

test('complaintOf keeps the errors, and the last lines where there are none', () => {
  expect(complaintOf('Reading package lists...\nE: Unable to locate package x\nE: and more\n')).toBe(
    'Unable to locate package x; and more',
  )
  expect(complaintOf('one\ntwo\nthree\nfour\n')).toBe('two; three; four')
})
