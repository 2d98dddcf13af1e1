import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

/** What a node that kubeadm made runs already. */
const AS_IT_IS = { version: '1.35.4' }

test.each([
  ['at once when it has run for an hour', 3_600_000, 0],
  ['when it has run for three seconds, when it was started a moment ago', 1000, 2000],
])('agent takes over a kubelet that is as assigned %s', async (_, age, wait) => {
  const machine = new Machine({ version: '1.35.4' })
  await machine.clock.advance(age)
  machine.assign(AS_IT_IS)
  machine.start()
  await machine.until('Applied')

  expect(machine.clock.elapsed() - age).toBe(wait)
})

test('agent watches a kubelet for three seconds after a change that leaves it running', async () => {
  const machine = new Machine({ version: '1.35.4' })
  await machine.clock.advance(3_600_000)
  machine.assign({ ...AS_IT_IS, host: JSON.stringify({ files: [{ path: '/etc/motd', content: 'hello\n' }] }) })
  machine.start()
  await machine.until('Applied')

  expect(machine.clock.elapsed() - 3_600_000).toBe(3000)
})

const EXTRA_ARGS = '/etc/default/kubelet'

test('agent leaves a kubelet running whose flags say already what is assigned, in another order', async () => {
  const machine = new Machine({ version: '1.35.4' })
  const text = 'KUBELET_EXTRA_ARGS="--v=3 --max-pods=60"\n'
  machine.host.files.put(EXTRA_ARGS, text)
  await machine.clock.advance(3_600_000)
  const { mainPid } = await machine.host.services.show('kubelet.service')
  machine.start()
  await machine.untilDigest(machine.assign({ ...AS_IT_IS, flags: '--max-pods=60 --v=3' }), 'Applied')

  expect(machine.host.files.text(EXTRA_ARGS)).toBe(text)
  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(mainPid)

  await machine.untilDigest(machine.assign({ ...AS_IT_IS, flags: '--max-pods=70 --v=3' }), 'Applied')
  expect(machine.host.files.text(EXTRA_ARGS)).toBe('KUBELET_EXTRA_ARGS="--v=3 --max-pods=60 --max-pods=70"\n')

  machine.annotate(null)
  await machine.until('Reverted')
  expect(machine.host.files.text(EXTRA_ARGS)).toBe(text)
})

test('agent leaves an environment file as it is that says already what is assigned', async () => {
  const machine = new Machine({ version: '1.35.4', layout: 'env' })
  const before = machine.host.files.text('/etc/kubernetes/kubelet.env')
  await machine.clock.advance(3_600_000)
  const { mainPid } = await machine.host.services.show('kubelet.service')
  machine.start()
  const flags = '--config=/etc/kubernetes/manifests --kubeconfig=/etc/kubernetes/kubeconfig'
  await machine.untilDigest(machine.assign({ version: '1.35.4', flags }), 'Applied')

  expect(machine.host.files.text('/etc/kubernetes/kubelet.env')).toBe(before)
  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(mainPid)
})
