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
    return DONE
  }
  const outside = runOutside(run)

  expect(await outside('zypper', ['refresh'])).toEqual(DONE)
  expect(await outside('zypper', ['install'])).toEqual(DONE)
  expect(names.every((name) => /^nodewave-packages-[0-9a-f]{8}\.service$/.test(name))).toBe(true)
})
