/** The Debian that every node starts from, unpacked once by debootstrap. */
import { readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../exec.ts'
import { cacheRoot, digestOf, once } from './cache.ts'
import { versions } from './versions.ts'

export const debianMirror = process.env.NODEWAVE_E2E_MIRROR ?? 'http://deb.debian.org/debian'

const packages = [
  ...[
    'systemd',
    'systemd-sysv',
    'dbus',
    'libpam-systemd',
    'ca-certificates',
    'iproute2',
    'procps',
    'kmod',
    'mount',
    'util-linux',
  ],
  ...['iptables', 'conntrack', 'ethtool'], // for the CNI bridge with masquerading, and the kubelet
  ...['curl', 'gpgv', 'jq', 'socat'],
  ...['libstdc++6', 'libatomic1'], // for Node.js, which the agent runs on
  'busybox-static', // becomes the test image
]

export const debianBaseDirectory = join(cacheRoot, 'base', `${versions.debian}-${digestOf(packages.join(','))}`)

/** Directory of the base; made when the cache does not have it. Nobody writes into it afterwards: nodes overlay it. */
export async function debianBase(announce: (line: string) => void): Promise<string> {
  const dir = debianBaseDirectory
  const started = performance.now()
  const built = await once(dir, async () => {
    announce(`build   Debian ${versions.debian} base …`)
    const partial = `${dir}.partial`
    await removeTree(partial)
    const args = ['--variant=minbase', `--include=${packages.join(',')}`, versions.debian, partial, debianMirror]
    await run('debootstrap', args, { env: { DEBIAN_FRONTEND: 'noninteractive' } })
    await strip(partial)
    await rename(partial, dir)
  })
  if (built) announce(`built   Debian ${versions.debian} base  ${((performance.now() - started) / 1000).toFixed(1)} s`)
  return dir
}

/** An interrupted debootstrap leaves /proc mounted inside: nothing may be deleted through that. */
export async function removeTree(dir: string): Promise<void> {
  const mounts = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').map((line) => line.split(' ')[4] ?? '')
  for (const path of mounts.filter((mount) => mount.startsWith(`${dir}/`)).reverse()) await run('umount', [path])
  await rm(dir, { recursive: true, force: true })
}

/** Leave nothing that would make nodes the same machine, or reach out to the internet from one. */
async function strip(root: string): Promise<void> {
  await truncate(join(root, 'etc/machine-id'), 0)
  await writeFile(join(root, 'etc/apt/sources.list'), '')
  await rm(join(root, 'var/cache/apt/archives'), { recursive: true, force: true })
  await rm(join(root, 'var/lib/apt/lists'), { recursive: true, force: true })
}
