import { expect, test } from 'vitest'
import { BOOT_MENU } from '../../../src/sim/host/simulated-boot.ts'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const GRANTED = { GRANT: 'reboot' } as const
const SCRIPT = '/etc/grub.d/45_nodewave-former'
const BEFORE = 'root=/dev/sda1 ro quiet'
const AFTER = `${BEFORE} nosmt`
const ARGUMENT = { host: JSON.stringify({ kernelArguments: ['nosmt'] }) }
const MODULE_OPTIONS = {
  host: JSON.stringify({
    files: [{ path: '/etc/modprobe.d/gpu.conf', content: 'options gpu mode=compute\n' }],
    rebootOn: ['/etc/modprobe.d/gpu.conf'],
  }),
}

async function withGrub(more: ConstructorParameters<typeof Machine>[0] = {}): Promise<Machine> {
  const machine = new Machine(more)
  machine.host.files.put('/etc/default/grub', 'GRUB_CMDLINE_LINUX=""\n')
  for (const program of ['update-grub', 'grub-reboot']) machine.host.files.put(`/usr/sbin/${program}`, '')
  await machine.host.bootMenu.rebuild()
  machine.start()
  await machine.clock.advance(5000)
  return machine
}

/** The machine goes down for the change, does not come up, and somebody switches it off and on again. */
async function powerCycled(machine: Machine): Promise<void> {
  machine.host.faults.reboot = 'lost'
  await machine.clock.runUntil(() => machine.host.faults.dead)
  machine.host.faults.reboot = undefined
  await machine.clock.advance(10 * MINUTE)
  machine.host.powerOn()
  machine.start()
}

test.each([
  ['kernel arguments', ARGUMENT],
  ['a file that counts after a reboot', MODULE_OPTIONS],
])(
  'a machine that does not come up with %s starts as before after a power cycle, and everything is undone',
  async (_, content) => {
    const machine = await withGrub()
    const before = machine.hostFiles()
    machine.assign(content, GRANTED)
    await powerCycled(machine)

    expect((await machine.until('RolledBack')).error).toEqual({
      reason: 'TrialBootFailed',
      message:
        'failed to validate config: the machine did not come up with the change, or lost its power before it had proved itself, and was started as before; see journalctl -b -1',
    })
    expect(machine.hostFiles()).toEqual(before)
    expect(await machine.host.kernel.commandLine()).toBe(BEFORE)
  },
)

test('a change that proved itself after its boot is what the machine starts with from then on', async () => {
  const machine = await withGrub()
  machine.assign(ARGUMENT, GRANTED)
  await machine.until('Applied')

  expect(await machine.host.kernel.commandLine()).toBe(AFTER)
  expect(machine.host.files.text(SCRIPT)).toBeUndefined()
  expect(machine.host.files.text(BOOT_MENU)).not.toContain('nodewave-former')
  machine.kill()
  machine.host.powerOff()
  machine.host.powerOn()
  machine.start()
  await machine.clock.advance(6 * MINUTE)
  expect(await machine.host.kernel.commandLine()).toBe(AFTER)
  expect(machine.status).toMatchObject({ phase: 'Applied' })
  expect(machine.status?.drift ?? []).toEqual([])
  expect(machine.host.reboots).toBe(1)
})

test('a change whose trial has not ended is what the machine starts with once', async () => {
  const machine = await withGrub()
  machine.assign(ARGUMENT, GRANTED)
  await machine.clock.runUntil(() => machine.host.reboots === 1)

  expect(machine.host.files.text('/boot/grub/grubenv')).toBe('next_entry=0\n')
  expect(machine.host.files.text(BOOT_MENU)).toContain(`\tlinux /vmlinuz ${BEFORE} nodewave.former\n`)
  expect(machine.host.files.text(BOOT_MENU)).toContain(`\tlinux /vmlinuz ${AFTER}\n`)
})

test('the status says why a machine cannot start as before', async () => {
  const machine = await withGrub()
  await machine.host.files.remove('/usr/sbin/grub-reboot')
  machine.assign(ARGUMENT)

  expect((await machine.until('Blocked')).reboot?.because).toEqual([
    '/etc/default/grub.d/99-zz-nodewave.cfg',
    'no trial boot: there is no "/usr/sbin/grub-reboot"',
  ])
})

const KERNEL = 'linux-image-6.1.0-18-amd64'
const NEXT = 'linux-image-6.1.0-20-amd64'

test.each([
  ['removed by Git', [{ name: KERNEL, state: 'absent' }, { name: NEXT }]],
  ['replaced by another version of its package', [{ name: KERNEL, version: '6.1.82-1' }]],
])('the status says that a machine whose kernel is %s cannot start as before', async (_, packages) => {
  const machine = await withGrub()
  machine.host.packages.put({ name: KERNEL, version: '6.1.76-1', files: { '/boot/vmlinuz-6.1.0-18-amd64': 'kernel' } })
  machine.assign({ host: JSON.stringify({ packages, rebootOn: [`package:${KERNEL}`, `package:${NEXT}`] }) })

  expect((await machine.until('Blocked')).reboot?.because).toContain(
    `no trial boot: it changes the package "${KERNEL}" of the kernel that runs`,
  )
})

test('the status says nothing of a trial on a host that can have one', async () => {
  const machine = await withGrub()
  machine.assign(ARGUMENT)

  expect((await machine.until('Blocked')).reboot?.because).toEqual(['/etc/default/grub.d/99-zz-nodewave.cfg'])
})

test('a host whose menu does not start what runs now has no trial, and the change is made all the same', async () => {
  const machine = await withGrub()
  machine.host.files.put(BOOT_MENU, (machine.host.files.text(BOOT_MENU) ?? '').replace('quiet', 'debug'))
  const digest = machine.assign(ARGUMENT, GRANTED)

  expect(await machine.untilDigest(digest, 'Applied')).not.toHaveProperty('error')
})

test('a kernel argument that does not count after the trial is undone by one more boot', async () => {
  const machine = await withGrub({
    atBoot: (files) => files.put(BOOT_MENU, (files.text(BOOT_MENU) ?? '').replace(/nosmt/g, '')),
  })
  const before = machine.hostFiles()
  machine.assign(ARGUMENT, GRANTED)

  expect((await machine.until('RolledBack')).error?.message).toContain('the kernel was started without "nosmt"')
  expect(machine.hostFiles()).toEqual(before)
  expect(machine.host.reboots).toBe(2)
})

test('a reboot that an operator orders, without any change, is no trial', async () => {
  const machine = await withGrub()
  const boot = await machine.host.services.bootId()
  const digest = machine.assign({ flags: '--v=3' }, { ...GRANTED, REBOOT: boot })
  await machine.clock.runUntil(() => machine.host.reboots === 1)

  expect(machine.host.files.text(SCRIPT)).toBeUndefined()
  expect(await machine.untilDigest(digest, 'Applied')).not.toHaveProperty('error')
})
