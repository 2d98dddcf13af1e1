/** The disk of a machine that grub starts: a Debian with its kernel, what stands for a kubelet, and the Node.js of the agent. */
import { readFileSync } from 'node:fs'
import { readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { debianBase } from '../build/base.ts'
import { cacheRoot, digestOf, once } from '../build/cache.ts'
import { type LayerFile, layer, nodejsLayer } from '../build/layers.ts'
import { packageLayer } from '../build/package-layer.ts'
import { kubeletUnitFiles } from '../cluster/kubelet-layout.ts'
import { run } from '../exec.ts'
import { CONSOLE, DISK, emulator } from './emulator.ts'
import { TREE, WORK, withTools } from './tools.ts'

const PACKAGES = ['linux-image-cloud-amd64', 'grub-pc', 'e2fsprogs', 'udev', 'qemu-guest-agent']
const MEGABYTES = 2048
/** Behind the table of partitions, where grub puts its own. */
const START = 1

/** What user networking of qemu gives its only guest. */
export const GUEST_ADDRESS = '10.0.2.15'

const network = `[Match]
Type=ether
[Network]
Address=${GUEST_ADDRESS}/24
Gateway=10.0.2.2
`
const grub = `GRUB_DEFAULT=0
GRUB_TIMEOUT=0
GRUB_DISTRIBUTOR=Debian
GRUB_CMDLINE_LINUX_DEFAULT=""
GRUB_CMDLINE_LINUX="console=ttyS0"
`
const INSTALL = '/usr/local/lib/install-grub'
const INSTALLED = 'grub is installed'
/** They cost time, and nothing of them is tested. */
const masked = [
  ...['apt-daily.timer', 'apt-daily-upgrade.timer', 'e2scrub_all.timer', 'e2scrub_reap.service', 'dpkg-db-backup.timer'],
  ...['getty@tty1.service', 'serial-getty@ttyS0.service', 'systemd-timesyncd.service', 'systemd-fsckd.service'],
  ...['modprobe@drm.service', 'modprobe@dm_mod.service', 'modprobe@loop.service', 'modprobe@fuse.service'],
  ...['systemd-update-utmp.service', 'systemd-update-utmp-runlevel.service', 'systemd-network-generator.service'],
  ...['sys-kernel-debug.mount', 'sys-kernel-tracing.mount', 'dev-hugepages.mount', 'dev-mqueue.mount', 'fstrim.timer'],
]
/** The first process of a machine that is started once without grub, to install it. */
const install = `#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
set -e
mount -t proc proc /proc
mountpoint -q /sys || mount -t sysfs sys /sys
mount -o remount,rw /
systemd-machine-id-setup
systemctl mask ${masked.join(' ')}
systemctl enable systemd-networkd qemu-guest-agent
# They look for other systems, which takes a minute where each instruction is emulated.
chmod -x /etc/grub.d/05_* /etc/grub.d/20_* /etc/grub.d/30_*
grub-install /dev/vda
update-grub
sync
echo '${INSTALLED}'
echo u > /proc/sysrq-trigger
sleep 2
echo o > /proc/sysrq-trigger
sleep 60
`

const files: readonly LayerFile[] = [
  { path: INSTALL, content: install, mode: 0o755 },
  { path: '/etc/fstab', content: 'LABEL=root / ext4 errors=remount-ro 0 0\n' },
  { path: '/etc/default/grub', content: grub },
  { path: '/etc/modprobe.d/e2e.conf', content: 'blacklist kvm_amd\nblacklist kvm_intel\nblacklist powernow_k8\n' },
  { path: '/etc/systemd/network/10-e2e.network', content: network },
  { path: '/etc/systemd/system.conf.d/e2e.conf', content: '[Manager]\nDefaultTimeoutStopSec=5s\n' },
  { path: '/usr/bin/kubelet', content: readFileSync(join(import.meta.dirname, 'stand-in-kubelet.sh'), 'utf8'), mode: 0o755 },
  ...kubeletUnitFiles({ layout: 'kubeadm', version: '', address: '', packaged: false, downloads: '' }),
]

/** Path of the disk; made when the cache does not have it. Nobody writes on it afterwards: machines have copies. */
export async function bootDisk(announce: (line: string) => void): Promise<string> {
  const tree = await treeLayers()
  const path = join(cacheRoot, 'disks', `grub-${digestOf(JSON.stringify([tree, MEGABYTES, START]))}.img`)
  const started = performance.now()
  const built = await once(path, async () => {
    announce('build   disk of a machine that grub starts …')
    const work = `${path}.partial`
    await rm(work, { recursive: true, force: true })
    await format(work, tree)
    await installGrub(work, tree)
    await rename(join(work, DISK), path)
    await rm(work, { recursive: true })
  })
  if (built) announce(`built   disk of a machine that grub starts  ${((performance.now() - started) / 1000).toFixed(1)} s`)
  return path
}

async function treeLayers(): Promise<readonly string[]> {
  const base = await debianBase(() => undefined)
  return [await layer('booted', files), await nodejsLayer(), await packageLayer(base, 'bootable', PACKAGES), base]
}

async function format(work: string, tree: readonly string[]): Promise<void> {
  const [sfdisk, ...table] = await withTools({ work }, ['sfdisk', '--quiet', `${WORK}/${DISK}`])
  await writeFile(join(work, DISK), '')
  await truncate(join(work, DISK), MEGABYTES * 2 ** 20)
  await run(sfdisk, table, { input: `label: dos\nstart=${START * 2048}, type=83, bootable\n` })
  const place = ['-L', 'root', '-E', `offset=${START * 2 ** 20}`, `${WORK}/${DISK}`, `${(MEGABYTES - START) * 1024}K`]
  const [mke2fs, ...args] = await withTools({ work, tree }, ['mke2fs', '-q', '-t', 'ext4', '-d', TREE, ...place])
  await run(mke2fs, args)
}

async function installGrub(work: string, tree: readonly string[]): Promise<void> {
  const boot = join(tree.at(-2) ?? '', 'boot')
  const named = async (name: string) => (await readdir(boot)).find((file) => file.startsWith(`${name}-`)) ?? ''
  const kernel = ['-kernel', `${TREE}/boot/${await named('vmlinuz')}`, '-initrd', `${TREE}/boot/${await named('initrd.img')}`]
  const start = ['-no-reboot', ...kernel, '-append', `root=LABEL=root console=ttyS0 panic=-1 init=${INSTALL}`]
  const [qemu, ...args] = await withTools({ work, tree }, emulator(start))
  await run(qemu, args, { timeoutMs: 600_000 })
  const said = await readFile(join(work, CONSOLE), 'utf8')
  if (!said.includes(INSTALLED)) throw new Error(`install grub on a disk: it failed\n${said.slice(-2000)}`)
}
