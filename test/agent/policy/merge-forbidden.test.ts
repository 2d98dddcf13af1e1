import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { HOST_POLICY, KUBELET_CONFIG, TRUSTED_KEYS } from '../../../src/agent/paths.ts'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const PEM = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString()
const THEIRS = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nclusterDomain: new.local\n'

test.each([
  ['in a pool', { POOL: 'workers' }, 'disruption: none\n'],
  ['by hand', {}, 'disruption: none\n'],
  ['in a pool', { POOL: 'workers' }, 'kinds: [files]\nkubeletVersions: {max: "1.30"}\n'],
] as const)('the agent neither asks for nor tries a merge that the policy forbids, assigned %s: %j', async (_, more, policy) => {
  const machine = new Machine()
  machine.start()
  const content = policy.startsWith('kinds') ? { config: 'maxPods: 120\n', version: '1.35.4' } : { config: 'maxPods: 120\n' }
  machine.assign(content, more)
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  await machine.host.files.writeAtomic(HOST_POLICY, Buffer.from(policy), { mode: 0o644, uid: 0, gid: 0 })
  machine.host.files.put(KUBELET_CONFIG, THEIRS)
  await machine.clock.advance(30 * MINUTE)

  expect(machine.status).toMatchObject({ phase: 'Applied', drift: [KUBELET_CONFIG] })
  expect(machine.host.files.text(KUBELET_CONFIG)).toBe(THEIRS)
})

test('the agent does not try a merge for an unsigned assignment that is older than the trusted keys of the host', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ config: 'maxPods: 120\n' })
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  machine.host.files.put(`${TRUSTED_KEYS}/a.pem`, PEM)
  machine.host.files.put(KUBELET_CONFIG, THEIRS)
  await machine.clock.advance(30 * MINUTE)

  expect(machine.status).toMatchObject({ phase: 'Applied', drift: [KUBELET_CONFIG] })
})
