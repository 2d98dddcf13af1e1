import { expect, test } from 'vitest'
import { readFacts } from '../../../src/agent/adapters/doctor-facts.ts'
import { Machine } from '../support/machine.ts'

test('free space is that of the nearest directory, when the state directory is not there yet', async () => {
  const machine = new Machine()
  const facts = await readFacts({
    ports: machine.host.process(machine.node).ports,
    root: '/not/there',
    stateDirectory: '/var/lib/nodewave',
    kubeconfig: { path: '/not/there/kubelet.conf' },
    server: 'https://127.0.0.1:6443',
  })
  expect(facts.state.freeBytes).toEqual({ value: expect.any(Number) })
})

test('ports of the kubelet are those of its configuration file', async () => {
  const machine = new Machine()
  const config = 'kind: KubeletConfiguration\nport: 11250\nhealthzPort: 11248\n'
  machine.host.files.put('/var/lib/kubelet/config.yaml', config)
  const facts = await readFacts({
    ports: machine.host.process(machine.node).ports,
    root: '/not/there',
    stateDirectory: '/var/lib/nodewave',
    kubeconfig: { path: '/not/there/kubelet.conf' },
    server: 'https://127.0.0.1:6443',
  })
  expect(facts.kubeletPorts.map(({ port }) => port)).toEqual([11250, 11248])
  expect(facts.listeners).toEqual({ error: expect.stringContaining('/not/there/proc/net/tcp') })
})

test.each([
  ['is asked for its health where it serves that', 11248, { ok: false, detail: 'connect ECONNREFUSED' }],
  ['that serves its health nowhere is not asked', 0, { ok: true, detail: 'not served: its healthzPort is 0' }],
])('a kubelet %s', async (_, port, answer) => {
  const machine = new Machine()
  machine.host.files.put('/var/lib/kubelet/config.yaml', `kind: KubeletConfiguration\nhealthzPort: ${port}\n`)
  const facts = await readFacts({
    ports: machine.host.process(machine.node).ports,
    root: '/not/there',
    stateDirectory: '/var/lib/nodewave',
    kubeconfig: { path: '/not/there/kubelet.conf' },
    server: 'https://127.0.0.1:6443',
  })

  expect(facts.kubelet).toEqual(answer)
})
