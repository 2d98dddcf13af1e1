/** Read-only layers that Debian's own packages make on top of the Debian that every node starts from. */
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../exec.ts'
import { debianMirror } from './base.ts'
import { cacheRoot, digestOf, once } from './cache.ts'
import { versions } from './versions.ts'

/** Nothing is started while packages are installed, and their programs need /proc. */
const install = `set -e
root=$1
shift
mount -t proc proc "$root/proc"
trap 'umount "$root/proc"' EXIT
cp --remove-destination /etc/resolv.conf "$root/etc/resolv.conf"
chroot "$root" apt-get -qq update
chroot "$root" apt-get -qq install -y --no-install-recommends "$@"
rm -rf "$root/var/lib/apt/lists" "$root/var/cache/apt/archives" "$root/usr/sbin/policy-rc.d"`

/** @returns the directory that is laid over the base; made once */
export async function packageLayer(base: string, name: string, packages: readonly string[]): Promise<string> {
  const dir = join(cacheRoot, 'layers', `${name}-${digestOf(JSON.stringify([base, packages, install]))}`)
  await once(dir, async () => {
    const partial = `${dir}.partial`
    const [upper, work, root] = ['upper', 'work', 'root'].map((part) => join(partial, part)) as [string, string, string]
    await run('umount', ['--recursive', root], { allowFailure: true })
    await rm(partial, { recursive: true, force: true })
    for (const path of [work, root, join(upper, 'etc/apt'), join(upper, 'usr/sbin')]) await mkdir(path, { recursive: true })
    await writeFile(join(upper, 'etc/apt/sources.list'), `deb ${debianMirror} ${versions.debian} main\n`)
    await writeFile(join(upper, 'usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n')
    await chmod(join(upper, 'usr/sbin/policy-rc.d'), 0o755)
    await run('mount', ['-t', 'overlay', 'overlay', '-o', `lowerdir=${base},upperdir=${upper},workdir=${work}`, root])
    try {
      await run('/bin/sh', ['-c', install, 'install', root, ...packages], { env: { DEBIAN_FRONTEND: 'noninteractive' } })
    } finally {
      await run('umount', [root])
    }
    await rename(upper, dir)
    await rm(partial, { recursive: true, force: true })
  })
  return dir
}
