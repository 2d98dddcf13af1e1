import { expect, test } from 'vitest'
import { contentDigest } from '../../../src/protocol/digest.ts'
import { namesFor } from '../../../src/protocol/names.ts'
import { Machine } from '../support/machine.ts'

const POOL = namesFor().pool
const CONTENT = { flags: '--v=3' }
const DIGEST = contentDigest(CONTENT)

function managed(): Machine {
  const machine = new Machine()
  machine.node.label(POOL, 'workers')
  for (const namespace of ['nodewave-system', 'default'])
    machine.node.configMaps.set(`${namespace}/c`, { 'kubelet-flags': CONTENT.flags })
  machine.start()
  return machine
}

test.each([
  [
    'is in another namespace',
    { NAMESPACE: 'default', DIGEST },
    'it is in namespace "default", and only "nodewave-system" is trusted; see --namespace of the agent',
  ],
  ['has no digest', {}, 'the annotation has no DIGEST; add it, or write KUBELET_OPTS instead'],
])('agent of a node of a pool refuses a payload that %s', async (_, desired, why) => {
  const machine = managed()
  machine.annotate({ KUBELET_CONFIG: 'c', ...desired })

  const { error } = await machine.until('RolledBack')

  expect(error).toEqual({
    reason: 'UntrustedPayload',
    message: `failed to load config: refuse ConfigMap "c" on a Node of pool "workers": ${why}`,
  })
})

test('agent of a node of a pool applies a payload of the namespace of the controller with its digest', async () => {
  const machine = managed()
  machine.annotate({ KUBELET_CONFIG: 'c', NAMESPACE: 'nodewave-system', DIGEST })
  expect(await machine.until('Applied')).toMatchObject({ digest: DIGEST })
})

test('agent of a node of a pool applies what names no payload', async () => {
  const machine = managed()
  machine.annotate({ KUBELET_OPTS: '--v=4' })
  await machine.until('Applied')
})

test('agent of a node of no pool applies any payload that it may read', async () => {
  const machine = new Machine()
  machine.node.configMaps.set('default/c', { 'kubelet-flags': CONTENT.flags })
  machine.start()
  machine.annotate({ KUBELET_CONFIG: 'c', NAMESPACE: 'default' })
  await machine.until('Applied')
})
