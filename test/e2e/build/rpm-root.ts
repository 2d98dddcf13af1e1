/** A Debian whose packages are rpm's: the base, with rpm and dnf or zypper on it, and without what dpkg knows. */
import { copyFile, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../exec.ts'
import { debianBase, debianBaseDirectory, debianMirror, removeTree } from './base.ts'
import { cacheRoot, digestOf, once } from './cache.ts'
import { putFile } from './layers.ts'
import { versions } from './versions.ts'

/** What is in front of rpm. */
export type RpmManager = 'dnf' | 'zypper'

/** The order counts: it names what is in the cache. */
const packages = (manager: RpmManager): string[] => [manager, 'rpm', 'createrepo-c', 'gnupg']

/** Where Debian does not have it: without this each user has a database of its own. */
export const macros = '%_dbpath /var/lib/rpm\n%__gpg /usr/bin/gpg\n'
const configuration = '[main]\ngpgcheck=True\nbest=True\nskip_if_unavailable=False\n'

/** Where the layer is, over the base that it is laid on. */
export function rpmLayers(manager: RpmManager): readonly [layer: string, base: string] {
  const content = [...packages(manager), debianBaseDirectory, macros, configuration].join()
  return [join(cacheRoot, 'base', `${versions.debian}-${manager}-${digestOf(content)}`), debianBaseDirectory]
}

/** Directory that is laid over the base. Nobody writes into it afterwards. */
export async function rpmLayer(manager: RpmManager, announce: (line: string) => void): Promise<string> {
  const base = await debianBase(announce)
  const [dir] = rpmLayers(manager)
  const started = performance.now()
  const built = await once(dir, async () => {
    announce(`build   ${manager} and rpm …`)
    await install(manager, base, `${dir}.partial`)
    await rename(`${dir}.partial`, dir)
  })
  if (built) announce(`built   ${manager} and rpm  ${((performance.now() - started) / 1000).toFixed(1)} s`)
  return dir
}

export interface MountedRoot extends AsyncDisposable {
  readonly root: string
}

/** The base under the layer, mounted for as long as it is used. */
export async function rpmRoot(directory: string, announce: (line: string) => void): Promise<MountedRoot> {
  return mountedRoot(directory, [await rpmLayer('dnf', announce), await debianBase(announce)])
}

/** The base alone, with dpkg and apt. */
export async function debianRoot(directory: string, announce: (line: string) => void): Promise<MountedRoot> {
  return mountedRoot(directory, [await debianBase(announce)])
}

async function mountedRoot(directory: string, layers: readonly string[]): Promise<MountedRoot> {
  const root = await overlay(directory, { layers, upper: join(directory, 'upper') })
  return { root, [Symbol.asyncDispose]: () => removeTree(directory) }
}

async function install(manager: RpmManager, base: string, upper: string): Promise<void> {
  const directory = `${upper}.mounted`
  await removeTree(directory)
  await rm(upper, { recursive: true, force: true })
  const root = await overlay(directory, { layers: [base], upper })
  try {
    await writeFile(join(root, 'etc/apt/sources.list'), `deb ${debianMirror} ${versions.debian} main\n`)
    await copyFile('/etc/resolv.conf', join(root, 'etc/resolv.conf'))
    await putFile(root, { path: '/usr/sbin/policy-rc.d', content: '#!/bin/sh\nexit 101\n', mode: 0o755 })
    const env = { DEBIAN_FRONTEND: 'noninteractive' }
    await run('chroot', [root, 'apt-get', '-qq', 'update'], { env })
    await run('chroot', [root, 'apt-get', '-qq', 'install', '--yes', '--no-install-recommends', ...packages(manager)], { env })
    await furnish[manager](root)
    await forgetDebian(root)
  } finally {
    await removeTree(directory)
  }
}

const furnish: Readonly<Record<RpmManager, (root: string) => Promise<void>>> = {
  dnf: async (root) => {
    await putFile(root, { path: '/etc/dnf/dnf.conf', content: configuration })
    await mkdir(join(root, 'etc/yum.repos.d'), { recursive: true })
  },
  // The link is how libzypp knows which distribution it manages.
  zypper: async (root) => {
    await mkdir(join(root, 'etc/zypp/repos.d'), { recursive: true })
    const content = '<?xml version="1.0"?>\n<product><vendor>e2e</vendor><name>e2e</name><version>1</version></product>\n'
    await putFile(root, { path: '/etc/products.d/e2e.prod', content })
    await symlink('e2e.prod', join(root, 'etc/products.d/baseproduct'))
  },
}

/** From then on the packages of this root are rpm's. */
export async function forgetDebian(root: string): Promise<void> {
  await putFile(root, { path: '/etc/rpm/macros', content: macros })
  await mkdir(join(root, 'etc/sysconfig'), { recursive: true })
  await run('chroot', [root, 'rpm', '--initdb'])
  for (const path of [
    'usr/sbin/policy-rc.d',
    'etc/resolv.conf',
    'var/lib/dpkg',
    'var/lib/apt',
    'var/cache/apt',
    'etc/apt/sources.list',
  ])
    await rm(join(root, path), { recursive: true, force: true })
}

async function overlay(
  directory: string,
  { layers, upper }: { readonly layers: readonly string[]; readonly upper: string },
): Promise<string> {
  const [work, root] = [join(directory, 'work'), join(directory, 'root')]
  for (const path of [upper, work, root]) await mkdir(path, { recursive: true })
  await run('mount', ['-t', 'overlay', 'overlay', '-o', `lowerdir=${layers.join(':')},upperdir=${upper},workdir=${work}`, root])
  await run('mount', ['-t', 'proc', 'proc', join(root, 'proc')])
  return root
}
