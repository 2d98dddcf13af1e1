import type { HostFiles } from '../../ports.ts'

/** As the plugin needs-restarting has them; the parts of a kernel are packages of their own. */
const NAMES = [
  'dbus',
  'dbus-broker',
  'dbus-daemon',
  'glibc',
  'kernel',
  'kernel-core',
  'kernel-rt',
  'kernel-rt-core',
  'linux-firmware',
  'microcode_ctl',
  'systemd',
] as const
/** Where administrators add to them, one name a line. */
const DIRECTORY = '/etc/dnf/plugins/needs-restarting.d'

/** Names of packages that count only after a reboot. */
export async function rebootNames(files: Pick<HostFiles, 'list' | 'read'>): Promise<readonly string[]> {
  const texts: string[] = []
  for (const name of await files.list(DIRECTORY))
    if (name.endsWith('.conf')) texts.push(Buffer.from((await files.read(`${DIRECTORY}/${name}`)) ?? []).toString())
  const added = texts.flatMap((text) => text.split('\n')).map((line) => line.trim())
  return [...NAMES, ...added.filter((line) => line !== '' && !line.startsWith('#'))]
}
