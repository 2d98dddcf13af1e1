import { expect, test } from 'vitest'
import { runOutside } from '../../../src/agent/adapters/packages/run-outside.ts'
import type { Outcome } from '../../../src/agent/adapters/run-program.ts'

const DONE: Outcome = { code: 0, stdout: '', stderr: '', timedOut: false }

test('a program starts though a daemon of the one before still runs in its unit', async () => {
  const names: string[] = []
  const run = async (program: string, args: readonly string[]): Promise<Outcome> => {
    if (program === 'systemctl') return { ...DONE, stdout: names.map(() => 'inactive\n').join('\n') }
    const [name = ''] = args.flatMap((arg) => (arg.startsWith('--unit=') ? [arg.slice('--unit='.length)] : []))
    // As systemd 252 answers while a process is left in the unit.
    if (names.includes(name)) return { ...DONE, code: 1, stderr: `Unit ${name} was already loaded or has a fragment file.` }
    names.push(name)
    return { ...DONE, stdout: `${name}\nsuccess\nexited\n0\n` }
  }
  const outside = runOutside(run)

  expect(await outside('zypper', ['refresh'])).toEqual(DONE)
  expect(await outside('zypper', ['install'])).toEqual(DONE)
  expect(names.every((name) => /^nodewave-packages-[0-9a-f]{8}\.service$/.test(name))).toBe(true)
})

test('a program waits until systemd answers what an earlier agent has started', async () => {
  const ran: string[] = []
  const answers = [
    { ...DONE, code: 1, stderr: 'Failed to connect to bus: Connection refused\n' },
    { ...DONE, stdout: 'active\n' },
    { ...DONE, stdout: 'inactive\n' },
  ]
  const run = async (program: string): Promise<Outcome> => {
    ran.push(program)
    return program === 'systemctl' ? (answers.shift() ?? DONE) : DONE
  }
  const pause = async (milliseconds: number) => ran.push(`pause ${milliseconds}`)
  await runOutside(run, { name: 'nodewave-step', properties: [], pause })('/bin/leave', [])
  expect(ran).toEqual(['systemctl', 'pause 500', 'systemctl', 'pause 500', 'systemctl', 'systemd-run'])
})

test('a program is not started when systemd never answers', async () => {
  const run = async (): Promise<Outcome> => ({ ...DONE, code: 1, stderr: 'Failed to connect to bus: Connection refused\n' })
  await expect(runOutside(run)('dpkg', [], { timeout: -1 })).rejects.toThrow(
    'wait for "nodewave-packages" of an earlier agent: systemctl show: exit 1: Failed to connect to bus: Connection refused',
  )
})
