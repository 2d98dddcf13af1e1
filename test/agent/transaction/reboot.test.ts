import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { BOOT_PARAMETERS, machineWithBootParameters, RUNNING, withBootParameters } from '../support/boot-parameters.ts'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const GRANTED = { GRANT: 'reboot' } as const
const NO_TRIAL = 'no trial boot: there is no "/usr/sbin/update-grub"'
const JOURNAL = '/var/lib/nodewave/journal.jsonl'

const isRebooting = (machine: Machine) => machine.status?.error?.reason === 'Rebooting'

/** It runs something that has passed its trial. */
async function proved(machine: Machine): Promise<string> {
  machine.start()
  const digest = machine.assign({ flags: '--v=2' })
  await machine.untilDigest(digest, 'Applied')
  await machine.clock.advance(11 * MINUTE)
  return digest
}

test('change that counts after a reboot reboots the machine once, and is proved after it', async () => {
  const machine = machineWithBootParameters()
  machine.start()
  await machine.clock.advance(5000)
  const digest = machine.assign(withBootParameters('debug'), GRANTED)
  await machine.clock.runUntil(() => isRebooting(machine))
  expect(machine.status).toMatchObject({
    phase: 'Applying',
    reboot: { boot: 'boot-1', because: ['/etc/default/grub', NO_TRIAL] },
  })

  expect(await machine.until('Applied')).toMatchObject({ digest, active: digest })
  expect(machine.status).not.toHaveProperty('error')
  expect(machine.status).not.toHaveProperty('reboot')
  expect(machine.host.files.text(RUNNING)).toBe('debug')
  await machine.clock.advance(60 * MINUTE)
  expect(machine.host.reboots).toBe(1)
})

test('change that counts after a reboot waits for the grant, and says what for', async () => {
  const machine = machineWithBootParameters()
  machine.start()
  machine.assign(withBootParameters('debug'), { GRANT: 'drain' })

  expect(await machine.until('Blocked')).toMatchObject({ needs: 'reboot', reboot: { because: ['/etc/default/grub', NO_TRIAL] } })
  await machine.clock.advance(60 * MINUTE)
  expect(machine.host.reboots).toBe(0)
  expect(machine.host.files.text(BOOT_PARAMETERS)).toBe('quiet')
})

test('change that has not proved itself after its reboot is undone by one more reboot', async () => {
  const machine = machineWithBootParameters({ atBoot: (files) => files.put(RUNNING, 'quiet') })
  const good = await proved(machine)
  const bad = machine.assign(withBootParameters('debug'), GRANTED)

  const status = await machine.untilDigest(bad, 'RolledBack')
  expect(status).toMatchObject({ active: good, lastKnownGood: good })
  expect(status.error).toEqual({
    reason: 'HealthCheckFailed',
    message: 'failed to validate config: the machine runs with "quiet", not with "debug"',
  })
  expect(machine.host.files.text(BOOT_PARAMETERS)).toBe('quiet')
  await machine.clock.advance(60 * MINUTE)
  expect(machine.host.reboots).toBe(2)
})

test('change is undone without a reboot when the machine refuses to reboot', async () => {
  const machine = machineWithBootParameters()
  const good = await proved(machine)
  machine.host.faults.reboot = 'refused'
  machine.assign(withBootParameters('debug'), GRANTED)

  const status = await machine.until('RolledBack', 'Failed')
  expect(status).toMatchObject({ phase: 'RolledBack', active: good })
  expect(status.error).toEqual({
    reason: 'RebootRefused',
    message:
      'failed to sync: internal failure: the machine does not reboot: systemctl reboot is inhibited: apt 0 root 4711 apt shutdown upgrade block',
  })
  await machine.clock.advance(60 * MINUTE)
  expect(machine.host.reboots).toBe(1)
  expect(machine.host.files.text(BOOT_PARAMETERS)).toBe('quiet')
})

test('change is undone when the machine was asked to reboot and does not', async () => {
  const machine = machineWithBootParameters()
  await proved(machine)
  machine.host.faults.reboot = 'ignored'
  machine.assign(withBootParameters('debug'), GRANTED)

  expect((await machine.until('RolledBack', 'Failed')).error?.reason).toBe('NotRebooted')
  expect(machine.host.reboots).toBe(1)
})

test('file that counts after a reboot reboots the machine, and another one does not', async () => {
  const machine = new Machine()
  await proved(machine)
  const files = [
    { path: '/etc/modprobe.d/gpu.conf', content: 'options gpu a=1\n' },
    { path: '/etc/motd', content: 'hello\n' },
  ]
  const rebootOn = ['/etc/modprobe.d/gpu.conf']
  const host = (motd: string) => JSON.stringify({ files: [files[0], { ...files[1], content: motd }], rebootOn })
  const first = machine.assign({ flags: '--v=2', host: host('hello\n') }, GRANTED)
  await machine.untilDigest(first, 'Applied')
  expect(machine.host.reboots).toBe(1)
  const second = machine.assign({ flags: '--v=2', host: host('hello again\n') }, GRANTED)
  await machine.untilDigest(second, 'Applied')

  expect(machine.host.reboots).toBe(1)
})

test('machine is rebooted when the assignment names the boot that it runs with', async () => {
  const machine = new Machine()
  const digest = await proved(machine)
  const boot = await machine.host.services.bootId()
  machine.assign({ flags: '--v=2' }, { ...GRANTED, REBOOT: boot })
  await machine.clock.runUntil(() => isRebooting(machine))
  await machine.until('Applied')

  expect(await machine.host.services.bootId()).toBe('boot-2')
  expect(machine.status).toMatchObject({ digest, active: digest, lastKnownGood: digest })
  await machine.clock.advance(60 * MINUTE)
  expect(machine.host.reboots).toBe(1)
})

test('machine is not rebooted for a boot that has ended already', async () => {
  const machine = new Machine()
  await proved(machine)
  machine.assign({ flags: '--v=2' }, { ...GRANTED, REBOOT: 'boot-0', ASSIGNED: '2026-11-21T08:00:00.000Z' })
  await machine.clock.runUntil(() => machine.status?.assignedAt === '2026-11-21T08:00:00.000Z')
  await machine.clock.advance(60 * MINUTE)

  expect(machine.status?.phase).toBe('Applied')
  expect(machine.host.reboots).toBe(0)
})

test('machine is not rebooted without the grant, and asks for it', async () => {
  const machine = new Machine()
  await proved(machine)
  machine.assign({ flags: '--v=2' }, { GRANT: 'drain', REBOOT: 'boot-1' })

  expect(await machine.until('Blocked')).toMatchObject({ needs: 'reboot' })
  expect(machine.host.reboots).toBe(0)
})

test('content and the reboot that comes with it take one reboot', async () => {
  const machine = machineWithBootParameters()
  await proved(machine)
  const digest = machine.assign(withBootParameters('debug'), { ...GRANTED, REBOOT: 'boot-1' })
  await machine.untilDigest(digest, 'Applied')
  await machine.clock.advance(60 * MINUTE)

  expect(machine.host.reboots).toBe(1)
})

test('reboot comes to the same end when the agent is killed after any effect, and happens once', async () => {
  for (let effect = 1; effect <= 40; effect++) {
    const machine = machineWithBootParameters()
    const digest = machine.assign(withBootParameters('debug'), GRANTED)
    const agent = machine.start({ afterEffect: effect })
    await machine.clock.runUntil(() => agent.dead)
    await machine.clock.advance(100)
    if (machine.host.reboots === 0 || (await machine.host.services.bootId()) === 'boot-2') machine.start()
    await machine.clock.runUntil(() => machine.status?.phase === 'Applied')
    await machine.clock.advance(10 * MINUTE)
    expect(machine.status, `killed after effect ${effect}`).toMatchObject({ digest, active: digest })
    expect(machine.host.reboots, `killed after effect ${effect}`).toBe(1)
  }
})

test('machine that goes down while it waits for its reboot is not asked again, and nothing is undone', async () => {
  const machine = machineWithBootParameters()
  machine.start()
  machine.assign(withBootParameters('debug'), GRANTED)
  await machine.clock.runUntil(() => machine.host.reboots === 1)
  machine.kill()
  machine.start()
  await machine.clock.advance(3000)

  expect(machine.host.files.text(BOOT_PARAMETERS)).toBe('debug')
  expect(machine.host.files.text(JOURNAL)?.match(/"rebooting"/g)).toHaveLength(1)
  await machine.until('Applied')
  expect(machine.host.reboots).toBe(1)
})

test('what the host says of a reboot that it needs is in the status until it has had it', async () => {
  const machine = new Machine()
  await proved(machine)
  machine.host.files.put('/run/reboot-required', '*** System restart required ***\n')
  machine.host.files.put('/run/reboot-required.pkgs', 'linux-image-6.1.0-18-amd64\nlibc6\nlibc6\n')
  await machine.clock.advance(6 * MINUTE)

  expect(machine.status?.reboot).toEqual({
    boot: 'boot-1',
    because: ['/run/reboot-required', 'linux-image-6.1.0-18-amd64', 'libc6'],
  })
  expect(machine.host.reboots).toBe(0)
  machine.host.powerOff()
  machine.host.powerOn()
  machine.start()
  await machine.clock.advance(6 * MINUTE)
  expect(machine.status).not.toHaveProperty('reboot')
})

test('packages that count only after a reboot are in the status until the machine has had it', async () => {
  const machine = new Machine({ packageManager: 'dnf' })
  await proved(machine)
  machine.host.packages.countingAfterReboot = ['glibc', 'kernel-core']
  await machine.clock.advance(6 * MINUTE)

  expect(machine.status?.reboot).toEqual({ boot: 'boot-1', because: ['package:glibc', 'package:kernel-core'] })
  machine.host.powerOff()
  machine.host.powerOn()
  machine.host.packages.countingAfterReboot = []
  machine.start()
  await machine.clock.advance(6 * MINUTE)
  expect(machine.status).not.toHaveProperty('reboot')
})

/** In its trial, with something that only a reboot takes back, and bad. */
async function asking(): Promise<{ readonly machine: Machine; readonly good: string; readonly bad: string }> {
  const machine = machineWithBootParameters()
  const good = await proved(machine)
  const bad = machine.assign(withBootParameters('debug'), GRANTED)
  await machine.untilDigest(bad, 'Applied')
  const desired = JSON.parse(machine.node.annotations['nodewave.io/desired-config'] ?? '')
  machine.annotate({ ...desired, GRANT: 'restart' })
  await machine.clock.advance(MINUTE)
  machine.host.injectCrash(({ args }) => (args.includes('--v=3') ? 'panic: out of luck' : undefined))
  await machine.until('Blocked')
  return { machine, good, bad }
}

test('agent asks before it goes back when that needs a reboot', async () => {
  const { machine, bad } = await asking()

  expect(machine.status).toMatchObject({ needs: 'reboot', active: bad, error: { reason: 'TrialFailed' } })
  await machine.clock.advance(3 * 60 * MINUTE)
  expect(machine.status?.phase).toBe('Blocked')
  expect(machine.host.files.text(BOOT_PARAMETERS)).toBe('debug')
  expect(machine.host.reboots).toBe(1)
})

test('agent goes back by a reboot when it is granted that, and does not try again what went bad', async () => {
  const { machine, good, bad } = await asking()
  machine.assign(withBootParameters('debug'), { ...GRANTED, ASSIGNED: '2026-11-21T08:00:00.000Z' })

  expect(await machine.until('RolledBack', 'Failed')).toMatchObject({
    phase: 'RolledBack',
    digest: bad,
    active: good,
    assignedAt: '2026-11-21T08:00:00.000Z',
    error: { reason: 'TrialFailed' },
  })
  await machine.clock.advance(60 * MINUTE)
  expect(machine.status).toMatchObject({ phase: 'RolledBack', active: good })
  expect(machine.host.reboots).toBe(2)
})

test('agent on a host with trusted keys takes no leave to go back that nobody signed', async () => {
  const { machine } = await asking()
  const { publicKey } = generateKeyPairSync('ed25519')
  machine.host.files.put('/etc/nodewave/trusted-keys/ours.pem', publicKey.export({ type: 'spki', format: 'pem' }).toString())
  machine.assign(withBootParameters('debug'), { ...GRANTED, ASSIGNED: '2026-11-21T08:00:00.000Z' })
  await machine.clock.advance(60 * MINUTE)

  expect(machine.host.reboots).toBe(1)
  expect(machine.host.files.text(BOOT_PARAMETERS)).toBe('debug')
})

test('agent that asked to go back takes another content as that, and not as leave to go back', async () => {
  const { machine } = await asking()
  const fix = machine.assign({ ...withBootParameters('debug'), flags: '--v=4' })

  expect(await machine.untilDigest(fix, 'Applied')).toMatchObject({ active: fix })
})

test('agent gives a host back by a reboot when an assignment that names nothing grants that', async () => {
  const machine = machineWithBootParameters()
  machine.start()
  machine.assign(withBootParameters('debug'), GRANTED)
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  machine.annotate(null)
  expect(await machine.until('Blocked')).toMatchObject({ needs: 'reboot' })
  expect(machine.host.files.text(BOOT_PARAMETERS)).toBe('debug')
  machine.annotate({ GRANT: 'reboot' })
  await machine.until('Applied')
  machine.annotate(null)
  await machine.until('Reverted')

  expect(machine.host.files.text(BOOT_PARAMETERS)).toBe('quiet')
  expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS=\n')
})
