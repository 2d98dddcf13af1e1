/** The Debian that will be 14, the first with dnf 5: a root to call programs in, and no node. It changes until it is released. */
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../exec.ts'
import { debianMirror, removeTree } from './base.ts'
import { cacheRoot, digestOf, once } from './cache.ts'
import { forgetDebian, macros } from './rpm-root.ts'

const suite = 'forky'
/** Debootstrap does not know every suite by its name. */
const script = '/usr/share/debootstrap/scripts/sid'
const packages = ['dnf5', 'rpm', 'createrepo-c', 'gnupg']

export const dnf5Directory = join(cacheRoot, 'base', `${suite}-dnf5-${digestOf([...packages, macros].join())}`)

export async function dnf5Root(announce: (line: string) => void): Promise<string> {
  const started = performance.now()
  const built = await once(dnf5Directory, async () => {
    announce(`build   Debian ${suite} with dnf 5 …`)
    const partial = `${dnf5Directory}.partial`
    await removeTree(partial)
    const args = ['--variant=minbase', `--include=${packages.join(',')}`, suite, partial, debianMirror, script]
    await run('debootstrap', args, { env: { DEBIAN_FRONTEND: 'noninteractive' } })
    await mkdir(join(partial, 'etc/yum.repos.d'), { recursive: true })
    await forgetDebian(partial)
    await rename(partial, dnf5Directory)
  })
  if (built) announce(`built   Debian ${suite} with dnf 5  ${((performance.now() - started) / 1000).toFixed(1)} s`)
  return dnf5Directory
}
