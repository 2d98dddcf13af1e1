import { expect, test } from 'vitest'
import { BOOT_MENU } from '../../../src/sim/host/simulated-boot.ts'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const GRANTED = { GRANT: 'reboot' } as const
const FILE = '/etc/default/grub.d/99-zz-nodewave.cfg'
const ARGUMENTS = ['transparent_hugepage=never', 'systemd.unified_cgroup_hierarchy=1']
const BEFORE = 'root=/dev/sda1 ro quiet'

const content = (kernelArguments: readonly string[]) => ({ host: JSON.stringify({ kernelArguments }) })
const running = ({ host }: Machine) => host.kernel.commandLine()

async function withGrub(more: ConstructorParameters<typeof Machine>[0] = {}): Promise<Machine> {
  const machine = new Machine(more)
  machine.host.files.put('/etc/default/grub', 'GRUB_CMDLINE_LINUX=""\n')
  machine.host.files.put('/usr/sbin/update-grub', '')
  await machine.host.bootMenu.rebuild()
  machine.start()
  await machine.clock.advance(5000)
  return machine
}

test('kernel arguments are added to those of the host by one reboot, and proved after it', async () => {
  const machine = await withGrub()
  machine.assign(content(ARGUMENTS), GRANTED)
  await machine.until('Applied')

  expect(await running(machine)).toBe(`${BEFORE} transparent_hugepage=never systemd.unified_cgroup_hierarchy=1`)
  expect(machine.host.files.text(FILE)).toBe(
    '# Written by nodewave: a change here is overwritten.\nGRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX transparent_hugepage=never systemd.unified_cgroup_hierarchy=1"\n',
  )
  await machine.clock.advance(60 * MINUTE)
  expect(machine.host.reboots).toBe(1)
  expect(machine.status?.drift ?? []).toEqual([])
})

test('kernel arguments wait for a grant to reboot', async () => {
  const machine = await withGrub()
  machine.assign(content(ARGUMENTS), { GRANT: 'drain' })

  expect(await machine.until('Blocked')).toMatchObject({ needs: 'reboot' })
  expect(machine.host.files.text(FILE)).toBeUndefined()
})

test('kernel arguments that the boot loader does not use are undone, menu and all, by one more reboot', async () => {
  const words = ` ${ARGUMENTS.join(' ')}`
  const machine = await withGrub({
    atBoot: (files) => files.put(BOOT_MENU, (files.text(BOOT_MENU) ?? '').replaceAll(words, '')),
  })
  const before = machine.hostFiles()
  machine.assign(content(ARGUMENTS), GRANTED)

  expect((await machine.until('RolledBack')).error).toEqual({
    reason: 'HealthCheckFailed',
    message:
      'failed to validate config: the kernel was started without "transparent_hugepage=never systemd.unified_cgroup_hierarchy=1": the boot loader does not use what update-grub writes',
  })
  expect(machine.hostFiles()).toEqual(before)
  expect(await running(machine)).toBe(BEFORE)
})

test('kernel arguments of a commit that fails before the reboot are in no menu', async () => {
  const machine = await withGrub()
  const before = machine.hostFiles()
  machine.assign({ host: JSON.stringify({ kernelArguments: ARGUMENTS, sysctls: { 'vm.swappiness': '201' } }) }, GRANTED)

  expect((await machine.until('RolledBack')).error?.reason).toBe('SysctlRefused')
  expect(machine.hostFiles()).toEqual(before)
  expect(machine.host.reboots).toBe(0)
})

test('kernel arguments that are not named any more go with a reboot', async () => {
  const machine = await withGrub()
  const before = machine.hostFiles()
  machine.assign(content(ARGUMENTS), GRANTED)
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  await machine.untilDigest(machine.assign({ flags: '--v=3' }, GRANTED), 'Applied')

  expect(await running(machine)).toBe(BEFORE)
  expect({ ...machine.hostFiles(), '/etc/default/kubelet': '' }).toEqual({ ...before, '/etc/default/kubelet': '' })
})

test('kernel arguments without which somebody has booted the machine are reported', async () => {
  const machine = await withGrub()
  machine.assign(content(ARGUMENTS), GRANTED)
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  machine.host.files.put(BOOT_MENU, `linux /vmlinuz ${BEFORE}\n`)
  machine.kill()
  machine.host.powerOff()
  machine.host.powerOn()
  machine.start()
  await machine.clock.advance(6 * MINUTE)

  expect(machine.status?.drift).toEqual([
    '/proc/cmdline: transparent_hugepage=never',
    '/proc/cmdline: systemd.unified_cgroup_hierarchy=1',
  ])
})

test('a host without grub is left as it is', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign(content(ARGUMENTS), GRANTED)

  expect((await machine.until('RolledBack')).error?.reason).toBe('BootLoaderUnknown')
})

test.each(['a b', 'a"', '$(reboot)', 'a`b`', "a'b", '-x', ''])(
  'a host document with %j as a kernel argument is refused',
  async (word) => {
    const machine = await withGrub()
    machine.assign(content([word]), GRANTED)

    expect((await machine.until('RolledBack')).error?.reason).toBe('MalformedHostDocument')
  },
)

test('kernel arguments are refused, before any reboot is asked for, where grub has no update-grub', async () => {
  const machine = await withGrub()
  await machine.host.files.remove('/usr/sbin/update-grub')
  machine.assign(content(ARGUMENTS))

  expect((await machine.until('RolledBack')).error).toMatchObject({
    reason: 'BootLoaderUnknown',
    message: expect.stringContaining('there is no "/usr/sbin/update-grub"'),
  })
})
