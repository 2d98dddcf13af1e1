import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

/*
 * Hosts as the first release (commit 6f3c18b) left them: its state directory and everything it wrote, after a trial, killed in the middle
 * of a second change, and killed before that change was proved. Made by that release on the simulated host.
 */
interface Left {
  readonly files: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly configMaps: Readonly<Record<string, Record<string, string>>>
  readonly units: Readonly<Record<string, { readonly exists: boolean }>>
}

const LEFT: Readonly<Record<string, Left>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'fixtures/first-release.json'), 'utf8'),
)

async function takenOver(name: string): Promise<Machine> {
  const left = LEFT[name]
  if (left === undefined) throw new Error(`no host "${name}"`)
  const machine = new Machine()
  for (const [path, line] of Object.entries(left.files)) {
    const [, mode = '', uid, gid, text] = /^(\d+) (\d+):(\d+) ([\s\S]*)$/.exec(line) ?? []
    machine.host.files.put(path, text ?? '', { mode: Number.parseInt(mode, 8), uid: Number(uid), gid: Number(gid) })
  }
  await machine.host.services.reload()
  if (left.units['tuned.service']?.exists) {
    await machine.host.services.enable('tuned.service')
    await machine.host.services.start('tuned.service')
  }
  await machine.host.services.restart('kubelet.service')
  for (const [key, data] of Object.entries(left.configMaps)) machine.node.configMaps.set(key, data)
  for (const [key, value] of Object.entries(left.annotations)) machine.node.write(key, value)
  machine.start()
  return machine
}

const originals = () => {
  const machine = new Machine()
  machine.host.files.put('/etc/motd', 'welcome\n', { mode: 0o600, uid: 7, gid: 8 })
  machine.host.files.put('/etc/old', 'old\n', { mode: 0o600 })
  return machine.hostFiles()
}

test('agent leaves a host alone that the first release configured', async () => {
  const machine = await takenOver('applied')
  const before = machine.hostFiles()
  const { mainPid } = await machine.host.services.show('kubelet.service')
  await machine.clock.advance(20 * 60_000)

  expect(machine.status).toMatchObject({ phase: 'Applied' })
  expect(machine.status).not.toHaveProperty('error')
  expect(machine.hostFiles()).toEqual(before)
  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(mainPid)
})

test.each(['interrupted', 'committed'])('agent finishes a change that the first release left %s', async (name) => {
  const machine = await takenOver(name)
  await machine.until('Applied')

  expect(machine.hostFiles()['/etc/motd']).toMatch(/ two\n$/)
  expect(machine.hostFiles()['/etc/default/kubelet']).toContain('--v=4')
  expect(machine.hostFiles()['/etc/tuned/node.conf']).toBeUndefined()
})

test.each(Object.keys(LEFT))('agent gives back what the first release had kept: %s', async (name) => {
  const machine = await takenOver(name)
  if (name !== 'applied') await machine.until('Applied')
  await machine.clock.advance(1000)
  machine.annotate(null)
  await machine.until('Reverted')

  expect(machine.hostFiles()).toEqual(originals())
  expect(await machine.host.services.show('tuned.service')).toMatchObject({ enabled: false, active: 'inactive' })
})

test.each(['interrupted', 'committed'])(
  'agent comes to the same end of a change that the first release left %s when it is killed after any effect',
  async (name) => {
    const calm = await takenOver(name)
    await calm.until('Applied')
    for (let effect = 1; effect <= 40; effect++) {
      const machine = await takenOver(name)
      machine.kill()
      const agent = machine.start({ afterEffect: effect })
      await machine.clock.runUntil(() => agent.dead || machine.status?.phase === 'Applied')
      machine.kill()
      machine.start()
      await machine.until('Applied')
      expect(machine.hostFiles(), `killed after effect ${effect}`).toEqual(calm.hostFiles())
    }
  },
)
