import { expect, test } from 'vitest'
import { TRUST_BUNDLE } from '../../../src/sim/host/simulated-derived-files.ts'
import { AUTHORITY } from '../../repo/certificates.ts'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const DEBIAN = '/usr/local/share/ca-certificates/nodewave-corp.crt'
const OF_DISTRIBUTION = 'of the distribution\n'
const content = { host: JSON.stringify({ certificates: [{ name: 'corp', content: AUTHORITY }] }) }

async function machineWithStore(): Promise<Machine> {
  const machine = new Machine()
  await machine.host.trustStore.rebuild()
  return machine
}

test('a certificate is put where the distribution looks, the store is made again, and containerd restarts on it', async () => {
  const machine = await machineWithStore()
  const { mainPid } = await machine.host.services.show('containerd.service')
  machine.start()
  machine.assign(content)
  await machine.until('Applied')

  expect(machine.host.files.text(DEBIAN)).toBe(AUTHORITY)
  expect(machine.host.files.text(TRUST_BUNDLE)).toBe(`${OF_DISTRIBUTION}${AUTHORITY}`)
  expect((await machine.host.services.show('containerd.service')).mainPid).not.toBe(mainPid)
})

test('a certificate that is not named any more is trusted by nobody', async () => {
  const machine = await machineWithStore()
  const before = machine.hostFiles()
  machine.start()
  machine.assign(content)
  await machine.until('Applied')
  machine.annotate(null)
  await machine.until('Reverted')

  expect(machine.hostFiles()).toEqual(before)
  expect(machine.host.files.text(TRUST_BUNDLE)).toBe(OF_DISTRIBUTION)
})

test('a certificate of a commit that fails is trusted by nobody', async () => {
  const machine = await machineWithStore()
  const before = machine.hostFiles()
  machine.start()
  machine.assign({ ...content, flags: '--container-runtime-endpoint=unix:///not/there.sock' })

  expect((await machine.until('RolledBack')).error?.reason).toBe('HealthCheckFailed')
  expect(machine.hostFiles()).toEqual(before)
})

test.each(['/etc/pki/ca-trust/source/anchors', '/etc/pki/trust/anchors'])(
  'a certificate is put into %s on a host that has it',
  async (directory) => {
    const machine = await machineWithStore()
    machine.host.files.put(`${directory}/README`, '')
    machine.start()
    machine.assign(content)
    await machine.until('Applied')

    expect(machine.host.files.text(`${directory}/nodewave-corp.pem`)).toBe(AUTHORITY)
    expect(machine.host.files.text(DEBIAN)).toBeUndefined()
  },
)

test('a certificate that somebody changes is reported: to bring it back would restart containerd', async () => {
  const machine = await machineWithStore()
  machine.start()
  machine.assign(content)
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  machine.host.files.put(DEBIAN, 'theirs')
  await machine.clock.advance(6 * MINUTE)

  expect(machine.status?.drift).toEqual([DEBIAN])
})

test('a certificate needs a grant to restart', async () => {
  const machine = await machineWithStore()
  machine.start()
  machine.assign(content, { GRANT: 'none' })

  expect(await machine.until('Blocked')).toMatchObject({ needs: 'restart' })
  expect(machine.host.files.text(TRUST_BUNDLE)).toBe(OF_DISTRIBUTION)
})

test.each([
  ['a name that leads elsewhere', { name: '../x', content: AUTHORITY }],
  ['two certificates in one', { name: 'corp', content: AUTHORITY + AUTHORITY }],
  ['something else', { name: 'corp', content: 'hello' }],
])('a host document with %s as a certificate is refused', async (_, certificate) => {
  const machine = new Machine()
  machine.start()
  machine.assign({ host: JSON.stringify({ certificates: [certificate] }) })

  expect((await machine.until('RolledBack')).error?.reason).toBe('MalformedHostDocument')
})
