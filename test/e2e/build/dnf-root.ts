/** A Debian whose packages are rpm's: the base, with dnf and rpm on it, and without what dpkg knows. */
import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../exec.ts'
import { debianBase, debianBaseDirectory, debianMirror, removeTree } from './base.ts'
import { cacheRoot, digestOf, once } from './cache.ts'
import { putFile } from './layers.ts'
import { versions } from './versions.ts'

const packages = ['dnf', 'rpm', 'createrepo-c', 'gnupg']

/** Where Debian does not have it: without this each user has a database of its own. */
const macros = '%_dbpath /var/lib/rpm\n%__gpg /usr/bin/gpg\n'
const configuration = '[main]\ngpgcheck=True\nbest=True\nskip_if_unavailable=False\n'

/** Where the layer is, over the base that it is laid on. */
export function dnfLayers(): readonly [layer: string, base: string] {
  const content = [...packages, debianBaseDirectory, macros, configuration].join()
  return [join(cacheRoot, 'base', `${versions.debian}-dnf-${digestOf(content)}`), debianBaseDirectory]
}

/** Directory that is laid over the base. Nobody writes into it afterwards. */
export async function dnfLayer(announce: (line: string) => void): Promise<string> {
  const base = await debianBase(announce)
  const [dir] = dnfLayers()
  const started = performance.now()
  const built = await once(dir, async () => {
    announce('build   dnf and rpm …')
    await install(base, `${dir}.partial`)
    await rename(`${dir}.partial`, dir)
  })
  if (built) announce(`built   dnf and rpm  ${((performance.now() - started) / 1000).toFixed(1)} s`)
  return dir
}

/** The base under the layer, mounted for as long as it is used. */
export async function dnfRoot(directory: string, announce: (line: string) => void): Promise<AsyncDisposable & { root: string }> {
  const layers = [await dnfLayer(announce), await debianBase(announce)]
  const root = await overlay(directory, { layers, upper: join(directory, 'upper') })
  return { root, [Symbol.asyncDispose]: () => removeTree(directory) }
}

async function install(base: string, upper: string): Promise<void> {
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
    await run('chroot', [root, 'apt-get', '-qq', 'install', '--yes', '--no-install-recommends', ...packages], { env })
    await furnish(root)
  } finally {
    await removeTree(directory)
  }
}

async function furnish(root: string): Promise<void> {
  await putFile(root, { path: '/etc/rpm/macros', content: macros })
  await putFile(root, { path: '/etc/dnf/dnf.conf', content: configuration })
  await mkdir(join(root, 'etc/yum.repos.d'), { recursive: true })
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
