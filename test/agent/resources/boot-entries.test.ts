import { expect, test } from 'vitest'
import { commandLineWith, entryWith, isKernelEntry, ownWords } from '../../../src/agent/resources/boot-entry-text.ts'
import { Kinds } from '../../../src/agent/resources/kinds.ts'
import { Machine } from '../support/machine.ts'

/** As kernel-install of Debian 12 makes them for systemd-boot, and grubby of RHEL 8 and 9 for grub. */
const SYSTEMD_BOOT = `# Boot Loader Specification type#1 entry
title      Debian GNU/Linux 12 (bookworm)
version    6.1.0-18-amd64
machine-id 1f2e
sort-key   debian
options    root=UUID=2b0a ro quiet systemd.machine_id=1f2e
linux      /1f2e/6.1.0-18-amd64/linux
initrd     /1f2e/6.1.0-18-amd64/initrd.img-6.1.0-18-amd64
`
const RHEL_8 = `title Red Hat Enterprise Linux (4.18.0-513.el8.x86_64) 8.9 (Ootpa)
version 4.18.0-513.el8.x86_64
linux /vmlinuz-4.18.0-513.el8.x86_64
initrd /initramfs-4.18.0-513.el8.x86_64.img $tuned_initrd
options $kernelopts $tuned_params
id rhel-20231011-4.18.0-513.el8.x86_64
grub_users $grub_users
`
const WORDS = ['transparent_hugepage=never', 'nosmt']
const MARKED = ' nodewave.arguments=2 transparent_hugepage=never nosmt'

test.each([
  ['systemd-boot', SYSTEMD_BOOT, 'systemd.machine_id=1f2e'],
  ['grub of RHEL 8', RHEL_8, '$tuned_params'],
])('entryWith adds words to the arguments of %s, and leaves every other byte', (_, text, last) => {
  expect(entryWith(text, WORDS)).toBe(text.replace(last, `${last}${MARKED}`))
})

test.each([
  SYSTEMD_BOOT,
  RHEL_8,
  'linux /vmlinuz\n',
  'linux /vmlinuz',
  'linux /vmlinuz\noptions a \n',
  'linux /v\noptions a\noptions b\n',
])('entryWith takes back what it has added to %j', (text) => {
  const back = entryWith(entryWith(text, WORDS), [])

  expect(back).toBe(text === 'linux /vmlinuz' ? `${text}\n` : text)
  expect(entryWith(entryWith(text, ['a=b']), WORDS)).toBe(entryWith(text, WORDS))
})

test('entryWith keeps what somebody wrote behind our words', () => {
  const theirs = entryWith(SYSTEMD_BOOT, WORDS).replace('nosmt', 'nosmt debug')

  expect(entryWith(theirs, [])).toBe(SYSTEMD_BOOT.replace('machine_id=1f2e', 'machine_id=1f2e debug'))
})

test('commandLineWith keeps the end of the line', () => {
  expect(commandLineWith('root=/dev/sda1 ro\n', WORDS)).toBe(`root=/dev/sda1 ro${MARKED}\n`)
  expect(commandLineWith(`root=/dev/sda1 ro${MARKED}\n`, [])).toBe('root=/dev/sda1 ro\n')
})

test('ownWords reads those of the running kernel', () => {
  expect(ownWords(`BOOT_IMAGE=/linux root=/dev/sda1${MARKED} debug`)).toEqual(WORDS)
  expect(ownWords('root=/dev/sda1')).toEqual([])
})

test.each([
  ['a.conf', SYSTEMD_BOOT, true],
  ['a.conf.rpmsave', SYSTEMD_BOOT, false],
  ['1f2e-0-rescue.conf', SYSTEMD_BOOT, false],
  ['memtest.conf', 'title memtest\nefi /memtest.efi\n', false],
])('entry %s with %j starts Linux: %s', (name, text, is) => {
  expect(isKernelEntry(name, text)).toBe(is)
})

const ENTRIES = '/boot/loader/entries'
const content = (kernelArguments: readonly string[]) => ({ host: JSON.stringify({ kernelArguments }) })
const GRANTED = { GRANT: 'reboot' } as const
const MINUTE = 60_000

async function withEntries(more: Readonly<Record<string, string>> = {}): Promise<Machine> {
  const machine = new Machine()
  const files = {
    [`${ENTRIES}/a-6.1.conf`]: 'linux /6.1/linux\noptions root=/dev/sda1 ro\n',
    [`${ENTRIES}/a-6.2.conf`]: 'linux /6.2/linux\noptions root=/dev/sda1 ro quiet\n',
    [`${ENTRIES}/a-0-rescue.conf`]: 'linux /rescue/linux\noptions root=/dev/sda1 ro\n',
    '/etc/kernel/cmdline': 'root=/dev/sda1 ro quiet\n',
    ...more,
  }
  for (const [path, text] of Object.entries(files)) machine.host.files.put(path, text)
  machine.host.powerOff()
  machine.host.powerOn()
  machine.start()
  await machine.clock.advance(5000)
  return machine
}

test('kernel arguments are added to every entry but the rescue one, by one reboot, and given back by another', async () => {
  const machine = await withEntries()
  const before = machine.hostFiles()
  machine.assign(content(['nosmt']), GRANTED)
  await machine.until('Applied')

  expect(await machine.host.kernel.commandLine()).toBe('root=/dev/sda1 ro quiet nodewave.arguments=1 nosmt')
  expect(machine.host.files.text('/etc/kernel/cmdline')).toBe('root=/dev/sda1 ro quiet nodewave.arguments=1 nosmt\n')
  expect(machine.host.files.text(`${ENTRIES}/a-6.1.conf`)).toContain('ro nodewave.arguments=1 nosmt\n')
  expect(machine.host.files.text(`${ENTRIES}/a-0-rescue.conf`)).toBe('linux /rescue/linux\noptions root=/dev/sda1 ro\n')
  expect(machine.host.reboots).toBe(1)

  await machine.clock.advance(11 * MINUTE)
  await machine.untilDigest(machine.assign({ flags: '--v=3' }, GRANTED), 'Applied')
  expect(await machine.host.kernel.commandLine()).toBe('root=/dev/sda1 ro quiet')
  expect({ ...machine.hostFiles(), '/etc/default/kubelet': '' }).toEqual({ ...before, '/etc/default/kubelet': '' })
})

test('entries belong to the kernel arguments of a drift policy', () => {
  expect(new Kinds().driftKind('kernelArguments-entries')).toBe('kernelArguments')
})

test('an entry that another kernel brought gets the arguments without a reboot', async () => {
  const machine = await withEntries()
  machine.assign(content(['nosmt']), GRANTED)
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  machine.host.files.put(`${ENTRIES}/a-6.0.conf`, 'linux /6.0/linux\noptions root=/dev/sda1 ro\n')
  await machine.clock.advance(6 * MINUTE)

  expect(machine.host.files.text(`${ENTRIES}/a-6.0.conf`)).toBe(
    'linux /6.0/linux\noptions root=/dev/sda1 ro nodewave.arguments=1 nosmt\n',
  )
  expect(machine.host.reboots).toBe(1)
})

test('entries that the loader does not use are as before after the reboot that shows it', async () => {
  const machine = await withEntries({ '/boot/grub/grub.cfg': 'linux /vmlinuz root=/dev/sda1 other\n' })
  const before = machine.hostFiles()
  machine.assign(content(['nosmt']), GRANTED)

  expect((await machine.until('RolledBack')).error).toEqual({
    reason: 'HealthCheckFailed',
    message:
      'failed to validate config: the kernel was started without "nosmt": the boot loader does not use the entries below /boot/loader/entries or /efi/loader/entries or /boot/efi/loader/entries',
  })
  expect(machine.hostFiles()).toEqual(before)
})

test.each([
  ['/etc/default/grub', 'GRUB_ENABLE_BLSCFG=false\n', 'GRUB_ENABLE_BLSCFG=false'],
  ['/etc/zipl.conf', '[defaultboot]\n', 'zipl'],
])('entries are refused where %s says that something else is made of them', async (path, text, named) => {
  const machine = await withEntries({ [path]: text })
  machine.assign(content(['nosmt']), GRANTED)

  expect((await machine.until('RolledBack')).error).toMatchObject({
    reason: 'BootLoaderUnknown',
    message: expect.stringContaining(named),
  })
  expect(machine.host.reboots).toBe(0)
})

const LOADER_INFO = '/sys/firmware/efi/efivars/LoaderInfo-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f'

test.each([
  ['grub', {}, '/etc/default/grub.d/99-zz-nodewave.cfg'],
  ['systemd-boot', { [LOADER_INFO]: Buffer.from('\u0006\u0000systemd-boot 252', 'utf16le').toString() }, `${ENTRIES}/a-6.2.conf`],
])(
  'of a host with both, the files of %s are changed when that started it',
  async (_, more: Readonly<Record<string, string>>, changed) => {
    const machine = await withEntries({ '/etc/default/grub': '', '/usr/sbin/update-grub': '', ...more })
    machine.assign(content(['nosmt']), GRANTED)
    await machine.until('Applied', 'RolledBack')

    expect(machine.logged.join()).not.toContain('BootLoaderUnknown')
    const other = changed.startsWith(ENTRIES) ? '/etc/default/grub.d/99-zz-nodewave.cfg' : `${ENTRIES}/a-6.2.conf`
    expect(machine.host.files.text(changed)).toContain('nosmt')
    expect(machine.host.files.text(other) ?? '').not.toContain('nosmt')
  },
)
