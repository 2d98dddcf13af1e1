import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

/** A change of the kubelet's flags that fails before anything is restarted. */
const FAILS = { flags: '--v=3', host: JSON.stringify({ units: [{ name: 'chronyd.service', state: 'running' }] }) }

/** @returns the kubelet's process ids: of the one that started so long before the first step, and after the undo */
async function undoneAfter(milliseconds: number): Promise<{ readonly before: number; readonly after: number }> {
  const machine = new Machine()
  const { files, services } = machine.host
  const append = files.append.bind(files)
  let before = 0
  files.append = async (path, line) => {
    await append(path, line)
    if (!line.includes('"begin"')) return
    await services.restart('kubelet.service')
    before = (await services.show('kubelet.service')).mainPid
    if (milliseconds > 0) await machine.clock.sleep(milliseconds)
  }
  machine.start()
  machine.assign(FAILS)
  expect((await machine.until('RolledBack', 'Applied', 'Failed')).phase).toBe('RolledBack')
  return { before, after: (await services.show('kubelet.service')).mainPid }
}

test('undo restarts a kubelet that was started in the millisecond of the first step: it may have read what was changed', async () => {
  const { before, after } = await undoneAfter(0)
  expect(before).toBeGreaterThan(0)
  expect(after).toBeGreaterThan(before)
})

test('undo leaves a kubelet alone that was started a millisecond before the first step', async () => {
  const { before, after } = await undoneAfter(1)
  expect(before).toBeGreaterThan(0)
  expect(after).toBe(before)
})
