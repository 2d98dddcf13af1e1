import { expect, test } from 'vitest'
import { CPU_STATE, withKubeletStates } from '../support/kubelet-state.ts'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const IN_USE = JSON.stringify({ policyName: 'static', defaultCpuSet: '0-1', entries: { pod: { web: '2' } }, checksum: 1 })
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

test('agent goes back as soon as the drain is granted when the kubelet has not reported since etcd was restored', async () => {
  const machine = await reported()
  withKubeletStates(machine)
  restoreAfterReport(machine)
  const content = { config: 'cpuManagerPolicy: static\nkubeReserved: {cpu: 500m}\n' }
  const digest = machine.assign(content)
  await machine.until('Applied')
  machine.host.files.put(CPU_STATE, IN_USE)
  await machine.clock.advance(18 * MINUTE)
  expect(machine.status).toMatchObject({ phase: 'Blocked', digest, needs: 'drain', error: { reason: 'TrialFailed' } })
  machine.assign(content, { GRANT: 'drain' })
  await machine.clock.advance(3 * MINUTE)

  expect(machine.status).toMatchObject({ phase: 'RolledBack', digest })
})
