/** What the machine must have before a cluster can be made, and how to get it. */
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

interface Need {
  readonly name: string
  readonly met: () => boolean
  readonly remedy: string
}

const program = (name: string, remedy: string): Need => ({ name, met: () => isOnPath(name), remedy })
const fromDebian = (name: string, pkg = name) => program(name, `apt-get install ${pkg}`)

const forBuilding: readonly Need[] = [
  program('go', 'install Go 1.26 or newer from https://go.dev/dl/ and put it on PATH'),
  fromDebian('gcc'),
  { name: 'seccomp.h', met: () => existsSync('/usr/include/seccomp.h'), remedy: 'apt-get install libseccomp-dev' },
  fromDebian('pkg-config'),
]

const forNodes: readonly Need[] = [
  { name: 'root', met: () => process.getuid?.() === 0, remedy: 'run as root: mounts, cgroups and network namespaces are made' },
  fromDebian('debootstrap'),
  fromDebian('systemd-nspawn', 'systemd-container'),
  fromDebian('ip', 'iproute2'),
  fromDebian('nsenter', 'util-linux'),
  fromDebian('openssl'),
  fromDebian('git'),
  ...['dpkg-deb', 'dpkg-scanpackages'].map((name) => fromDebian(name, 'dpkg-dev')),
  fromDebian('apt-ftparchive', 'apt-utils'),
  fromDebian('gpg', 'gnupg'),
  {
    name: 'overlay file system',
    met: () => existsSync('/sys/module/overlay') || readFileSync('/proc/filesystems', 'utf8').includes('\toverlay\n'),
    remedy: 'modprobe overlay',
  },
]

/** One line for each thing that is missing. */
export function missingPrerequisites(purpose: 'nodes' | 'apiserver'): string[] {
  const needs = purpose === 'nodes' ? [...forNodes, ...forBuilding] : [...forBuilding.slice(0, 1), fromDebian('openssl')]
  return needs.filter((need) => !need.met()).map(({ name, remedy }) => `missing: ${name}: ${remedy}`)
}

function isOnPath(name: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((dir) => {
    try {
      accessSync(join(dir, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
