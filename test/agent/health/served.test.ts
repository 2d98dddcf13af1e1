/** A kubelet that nobody reaches runs its pods, and its Node is Ready: logs, exec and the metrics that pods are scaled by are gone. */
import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000

test.each(['address: 127.0.0.1\n', 'serverTLSBootstrap: true\n'])(
  'agent undoes a configuration with which the kubelet serves the API server no more: %j',
  async (config) => {
    const machine = new Machine()
    machine.start()
    await machine.clock.advance(5000)
    const before = machine.hostFiles()
    const digest = machine.assign({ config })

    const { error } = await machine.untilDigest(digest, 'RolledBack')

    expect(error?.reason).toBe('HealthCheckFailed')
    expect(error?.message).toContain('the kubelet does not serve at 10.0.0.9 port 10250')
    expect(machine.hostFiles()).toEqual(before)
  },
)

test('agent demands nothing of a kubelet that did not serve before', async () => {
  const machine = new Machine()
  machine.host.files.put('/var/lib/kubelet/config.yaml', 'kind: KubeletConfiguration\naddress: 127.0.0.1\n')
  machine.start()
  await machine.clock.advance(5000)
  const digest = machine.assign({ config: 'maxPods: 50\n' })

  expect(await machine.untilDigest(digest, 'Applied')).not.toHaveProperty('error')
})

test('agent waits for the certificate of a kubelet that somebody has to approve', async () => {
  const machine = new Machine()
  machine.start()
  await machine.clock.advance(5000)
  const digest = machine.assign({ config: 'serverTLSBootstrap: true\n' })
  await machine.clock.advance(MINUTE / 2)
  expect(machine.status?.phase).toBe('Applying')
  machine.host.files.put('/var/lib/kubelet/pki/kubelet-server-current.pem', 'certificate')

  expect(await machine.untilDigest(digest, 'Applied')).not.toHaveProperty('error')
})
