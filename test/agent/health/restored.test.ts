import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const memory = (machine: Machine, name: string) => machine.host.files.text(`/var/lib/nodewave/meta/${name}`)?.trim()

/** A kubelet that has reported to its Node. */
async function reported(): Promise<Machine> {
  const machine = new Machine()
  machine.start()
  await machine.clock.advance(MINUTE)
  await machine.host.services.restart('kubelet.service')
  await machine.clock.advance(MINUTE)
  return machine
}

/** As soon as the kubelet has reported after its next start, etcd is restored; the kubelet, which knows nothing of it, reports nothing new. */
function restoreAfterReport(machine: Machine): { readonly report: (ready: boolean) => void } {
  const told = machine.node.kubeletTold.bind(machine.node)
  const backup = { ready: false, kubeletVersion: 'v1.35.4', heartbeat: machine.clock.now() - 5 * MINUTE }
  machine.node.kubeletTold = (status) => {
    told(status)
    machine.node.kubeletTold = () => {}
    told(backup)
  }
  return { report: (ready) => told({ ready, kubeletVersion: undefined, heartbeat: machine.clock.now() }) }
}

test('agent keeps a change that it proves while etcd is restored, and waits for the next report of the kubelet', async () => {
  const machine = await reported()
  const { report } = restoreAfterReport(machine)
  const digest = machine.assign({ flags: '--v=3' })
  await machine.clock.advance(12 * MINUTE)
  expect(machine.status).toMatchObject({ phase: 'Applied', digest })
  expect(memory(machine, 'last-known-good')).toBeUndefined()
  report(true)
  await machine.clock.advance(MINUTE)

  expect(memory(machine, 'last-known-good')).toBe(digest)
})

test('agent goes back when the kubelet is not Ready by its first report after a change that was proved while etcd was restored', async () => {
  const machine = await reported()
  const { report } = restoreAfterReport(machine)
  const digest = machine.assign({ flags: '--v=3' })
  await machine.clock.advance(4 * MINUTE)
  report(false)

  expect(await machine.until('RolledBack')).toMatchObject({ digest, error: { reason: 'TrialFailed' } })
})
