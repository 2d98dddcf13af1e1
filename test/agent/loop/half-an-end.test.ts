/** A change has been proved, and the power goes while that is being written down in several places. */
import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const ACTIVE = '/var/lib/nodewave/meta/active'

/** The agent dies with this effect, and the kubelet does not come up again with this flag. */
async function diesAt(
  death: { readonly method: string; readonly subject: string },
  { machine, flag }: { machine: Machine; flag: string },
) {
  const process = machine.start({ after: death })
  await machine.clock.runUntil(() => process.dead)
  machine.kill()
  machine.host.injectCrash(({ args }) => (args.includes(flag) ? 'panic: out of luck' : undefined))
  await machine.host.services.restart('kubelet.service').catch(() => {})
  machine.start()
}

test('agent that dies with half of the end of a change on disk knows by what its host is made, whatever becomes of the kubelet', async () => {
  const machine = new Machine()
  machine.start()
  const good = machine.assign({ flags: '--v=2' })
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  machine.kill()
  const digest = machine.assign({ flags: '--v=3' })
  await diesAt({ method: 'writeAtomic', subject: ACTIVE }, { machine, flag: '--v=3' })

  expect(await machine.until('RolledBack')).toMatchObject({ digest, active: good, lastKnownGood: good })
  expect(machine.status?.error?.reason).toBe('TrialFailed')
  expect(machine.hostFiles()['/etc/default/kubelet']).toContain('--v=2')
})

test('agent that dies with half of the end of its way back on disk knows by what its host is made, whatever becomes of the kubelet', async () => {
  const machine = new Machine()
  machine.start()
  const good = machine.assign({ flags: '--v=2' })
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  const bad = machine.assign({ flags: '--v=3' })
  await machine.untilDigest(bad, 'Applied')
  machine.kill()
  machine.host.injectCrash(({ args }) => (args.includes('--v=3') ? 'panic: out of luck' : undefined))
  await machine.host.services.restart('kubelet.service').catch(() => {})
  await diesAt({ method: 'writeAtomic', subject: ACTIVE }, { machine, flag: '--v=2' })
  await machine.clock.advance(5 * MINUTE)

  expect(machine.status).toMatchObject({ digest: bad, phase: 'RolledBack', active: good })
  expect(machine.hostFiles()['/etc/default/kubelet']).toContain('--v=2')
})

test('agent writes that a change is proved in a line that the release before it can read, as one that comes back finds it', async () => {
  const machine = new Machine()
  const process = machine.start({ after: { method: 'writeAtomic', subject: ACTIVE } })
  machine.assign({ flags: '--v=2' })
  await machine.clock.runUntil(() => process.dead)
  const lines = (machine.host.files.text('/var/lib/nodewave/journal.jsonl') ?? '').trim().split('\n')
  const known = ['begin', 'intent', 'done', 'awaiting', 'rebooting', 'committed', 'undoing', 'undone']

  expect(lines.map((text) => JSON.parse(text).at).filter((at) => !known.includes(at))).toEqual([])
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ at: 'committed', proved: {} })
})
