/** What is mounted without a unit file cannot be mounted again by an undo. */
import { expect, test } from 'vitest'
import { BAD_FLAGS } from '../support/kind-stories.ts'
import { Machine } from '../support/machine.ts'

const NAME = 'srv-hand.mount'
const CONTENT = '[Mount]\nWhat=declared\nWhere=/srv/hand\nType=tmpfs\n'
const withMount = (more: object = { content: CONTENT }) => ({ host: JSON.stringify({ units: [{ name: NAME, ...more }] }) })

async function aHostWithMount(): Promise<{ readonly machine: Machine; readonly pid: number }> {
  const machine = new Machine()
  machine.host.services.mountByHand(NAME)
  machine.start()
  return { machine, pid: (await machine.host.services.show(NAME)).mainPid }
}

test.each([
  ['declared', { content: CONTENT }],
  ['changed by a drop-in', { dropIns: { '10-more.conf': '[Mount]\nOptions=ro\n' } }],
  ['stopped', { state: 'stopped' }],
])('agent refuses a commit by which a mount made by hand would be %s, and leaves the mount', async (_, unit) => {
  const { machine, pid } = await aHostWithMount()
  const before = machine.hostFiles()

  machine.assign({ ...withMount(unit), flags: BAD_FLAGS })

  expect((await machine.until('RolledBack', 'Failed')).error).toEqual({
    reason: 'MountedByHand',
    message:
      'failed to validate config: change "srv-hand.mount": it is mounted, and neither a unit file nor /etc/fstab says how, so an undo could not mount it again; unmount it, or take the unit out of the commit',
  })
  expect((await machine.host.services.show(NAME)).mainPid).toBe(pid)
  expect(machine.hostFiles()).toEqual(before)
})

test('agent takes over a mount when somebody has unmounted it', async () => {
  const { machine } = await aHostWithMount()
  machine.assign(withMount())
  await machine.until('RolledBack')
  await machine.host.services.stop(NAME)

  await machine.untilDigest(machine.assign(withMount({ content: CONTENT, state: 'running' })), 'Applied')

  expect((await machine.host.services.show(NAME)).active).toBe('active')
})

test('agent changes a mount of Git that runs, also when somebody has removed its file', async () => {
  const machine = new Machine()
  machine.start()
  await machine.untilDigest(machine.assign(withMount({ content: CONTENT, state: 'running' })), 'Applied')
  await machine.host.files.remove(`/etc/systemd/system/${NAME}`)
  await machine.host.services.reload()

  const other = { content: `${CONTENT}Options=ro\n`, state: 'running' }
  await machine.untilDigest(machine.assign(withMount(other)), 'Applied')

  expect((await machine.host.services.show(NAME)).active).toBe('active')
})
