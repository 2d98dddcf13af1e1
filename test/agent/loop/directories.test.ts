import { expect, test } from 'vitest'
import type { NodeContent } from '../../../src/protocol/digest.ts'
import { Machine } from '../support/machine.ts'

const BAD = '--container-runtime-endpoint=unix:///not/there.sock'

function withFiles(...paths: readonly string[]): NodeContent {
  return { host: JSON.stringify({ files: paths.map((path) => ({ path, content: 'x\n' })) }) }
}

async function running(): Promise<Machine> {
  const machine = new Machine()
  machine.start()
  await machine.clock.advance(5000)
  return machine
}

const below = (machine: Machine, path: string): string[] =>
  machine.host.files.directories().filter((found) => `${found}/`.startsWith(`${path}/`))

test('agent leaves a directory that it made when somebody put something there before the change was undone', async () => {
  const machine = await running()
  machine.assign({ ...withFiles('/etc/tuned/profiles/node.conf'), flags: BAD })
  await machine.clock.runUntil(() => machine.host.files.text('/etc/tuned/profiles/node.conf') !== undefined)
  machine.host.files.put('/etc/tuned/mine.conf', 'mine\n')
  await machine.until('RolledBack')

  expect(below(machine, '/etc/tuned')).toEqual(['/etc/tuned'])
  expect(machine.host.files.text('/etc/tuned/mine.conf')).toBe('mine\n')
})

test('agent leaves a directory that was there before, though it is empty again', async () => {
  const machine = await running()
  machine.host.files.put('/etc/tuned/old.conf', '')
  await machine.host.files.remove('/etc/tuned/old.conf')
  machine.assign({ ...withFiles('/etc/tuned/node.conf'), flags: BAD })
  await machine.until('RolledBack')

  expect(below(machine, '/etc/tuned')).toEqual(['/etc/tuned'])
})

test('agent takes away what it made, in whatever order files came, when nothing is assigned any more', async () => {
  const machine = await running()
  const before = machine.host.files.directories()
  await machine.untilDigest(machine.assign(withFiles('/etc/tuned/a/one.conf')), 'Applied')
  await machine.untilDigest(machine.assign(withFiles('/etc/tuned/a/one.conf', '/etc/tuned/b/two.conf')), 'Applied')
  await machine.untilDigest(machine.assign(withFiles('/etc/tuned/b/two.conf')), 'Applied')
  expect(below(machine, '/etc/tuned')).toEqual(['/etc/tuned', '/etc/tuned/b'])
  machine.annotate(null)
  await machine.until('Reverted')

  const left = machine.host.files.directories().filter((path) => !before.includes(path))
  expect(left.filter((path) => !`${path}/`.startsWith('/var/lib/nodewave/'))).toEqual([])
})

test('agent refuses a mode by which it could not reach its own state any more', async () => {
  const machine = await running()
  const before = machine.hostFiles()
  machine.assign({ host: JSON.stringify({ directories: [{ path: '/var/lib', mode: '0777' }] }) })

  expect((await machine.until('RolledBack')).error?.reason).toBe('PathNotAllowed')
  expect(machine.hostFiles()).toEqual(before)
})
