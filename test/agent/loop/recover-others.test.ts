/** An agent that was killed while it proved a change, and what an administrator did with the same paths before the next one started. */
import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

const NAME = 'tuned.service'
const PATH = `/etc/systemd/system/${NAME}`
const CONTENT = '[Service]\nExecStart=/bin/sleep infinity\n'

/** Takes all of it out of Git, and is killed when that is in place. */
async function killedAfter(host: object): Promise<{ readonly machine: Machine; readonly digest: string }> {
  const machine = new Machine()
  machine.start()
  await machine.untilDigest(machine.assign({ host: JSON.stringify(host) }), 'Applied')
  const digest = machine.assign({ flags: '--v=3' })
  await machine.clock.runUntil(() => machine.host.files.text('/var/lib/nodewave/journal.jsonl')?.includes('committed') ?? false)
  machine.kill()
  return { machine, digest }
}

test('agent proves a commit that took a unit away when the unit was masked meanwhile', async () => {
  const { machine, digest } = await killedAfter({ units: [{ name: NAME, content: CONTENT }] })
  await machine.host.files.link(PATH, '/dev/null')
  machine.start()

  expect((await machine.untilDigest(digest, 'Applied')).phase).toBe('Applied')
  expect(await machine.host.files.readLink(PATH)).toBe('/dev/null')
})

test('agent proves a commit that took a mask away when the unit got a file meanwhile', async () => {
  const { machine, digest } = await killedAfter({ units: [{ name: NAME, masked: true }] })
  machine.host.files.put(PATH, CONTENT)
  machine.start()

  expect((await machine.untilDigest(digest, 'Applied')).phase).toBe('Applied')
  expect(machine.host.files.text(PATH)).toBe(CONTENT)
})

test('agent proves a commit that took a directory away when a file is there meanwhile', async () => {
  const { machine, digest } = await killedAfter({ directories: [{ path: '/srv/shelf' }] })
  machine.host.files.put('/srv/shelf', 'of others')
  machine.start()

  expect((await machine.untilDigest(digest, 'Applied')).phase).toBe('Applied')
  expect(machine.host.files.text('/srv/shelf')).toBe('of others')
})
