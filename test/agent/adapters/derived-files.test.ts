import { expect, test } from 'vitest'
import { bootMenu, trustStore } from '../../../src/agent/adapters/derived-files.ts'
import type { Outcome } from '../../../src/agent/adapters/run-program.ts'

function answering(answer: Partial<Outcome> = {}) {
  const ran: string[] = []
  const run = async (program: string, args: readonly string[]): Promise<Outcome> => {
    ran.push([program, ...args].join(' '))
    return { code: 0, stdout: '', stderr: '', timedOut: false, ...answer }
  }
  return { run, ran }
}

test.each([
  ['Debian', false, 'update-ca-certificates'],
  ['Red Hat', true, 'update-ca-trust extract'],
])('trustStore is made again by the program of %s', async (_, isRedHat, command) => {
  const { run, ran } = answering()
  await trustStore(run, isRedHat).rebuild()

  expect(ran).toEqual([command])
})

test('trustStore tells what the program said', async () => {
  const { run } = answering({ code: 1, stderr: 'no space left\n' })

  await expect(trustStore(run, false).rebuild()).rejects.toThrow('update-ca-certificates: exit 1: no space left')
})

test('bootMenu is made again by update-grub, and is the same as long as nobody does', async () => {
  const { run, ran } = answering()
  const menu = bootMenu(run)
  await menu.rebuild()

  expect(ran).toEqual(['update-grub'])
  expect(await menu.fingerprint()).toBe(await menu.fingerprint())
})

test('bootMenu has the machine start once by an entry, or as always', async () => {
  const { run, ran } = answering()
  await bootMenu(run).startOnce('1>2')
  await bootMenu(run).startOnce(undefined)

  expect(ran).toEqual(['grub-reboot 1>2', 'grub-editenv /boot/grub/grubenv unset next_entry'])
})
