/** A node's root: an overlay over the shared layers, and real directories where another overlay has to fit on top. */
import { mkdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type LayerFile, putFile } from '../build/layers.ts'
import { run } from '../exec.ts'
import { note } from './record.ts'
import type { Slot } from './slot.ts'

export interface NodeRoot {
  /** Where the root is mounted; what is written here is written in the node. */
  readonly root: string
  /** Directory on the machine → path in the node. */
  readonly binds: Readonly<Record<string, string>>
  readonly shared: SharedDirectory
}

/** A directory of the machine, and where the node sees it. */
export interface SharedDirectory {
  readonly outside: string
  readonly inside: string
}

export interface NodeRootOptions {
  /** The uppermost first. */
  readonly layers: readonly string[]
  readonly files: readonly LayerFile[]
  /** Files below /var/lib/kubelet. */
  readonly kubeletFiles: readonly LayerFile[]
  /** Link below /etc/systemd/system → unit file, besides those that every node has. */
  readonly enabled: Readonly<Record<string, string>>
}

const enabled = {
  'sysinit.target.wants/node-setup.service': '/etc/systemd/system/node-setup.service',
  'multi-user.target.wants/systemd-networkd.service': '/usr/lib/systemd/system/systemd-networkd.service',
  'sockets.target.wants/systemd-networkd.socket': '/usr/lib/systemd/system/systemd-networkd.socket',
}
/** They cost time, or reach into the machine below. */
const masked = [
  ...['sys-kernel-debug.mount', 'sys-kernel-tracing.mount', 'dev-hugepages.mount'],
  'console-getty.service',
  'apt-daily.timer',
  'apt-daily-upgrade.timer',
  'e2scrub_all.timer',
  'e2scrub_reap.service',
]

export async function createNodeRoot(slot: Slot, name: string, options: NodeRootOptions): Promise<NodeRoot> {
  const dir = (part: string) => join(slot.dir, 'nodes', name, part)
  const [upper, work, root] = [dir('upper'), dir('work'), dir('root')]
  const shared = { outside: dir('shared'), inside: '/mnt' }
  const binds = {
    [dir('kubelet')]: '/var/lib/kubelet',
    [dir('containerd')]: '/var/lib/containerd',
    [shared.outside]: shared.inside,
  }
  for (const path of [upper, work, root, ...Object.keys(binds)]) await mkdir(path, { recursive: true })
  for (const file of options.files) await putFile(upper, file)
  for (const file of options.kubeletFiles) await putFile(dir('kubelet'), file)
  for (const [link, target] of Object.entries({ ...enabled, ...options.enabled })) await linkUnit(upper, link, target)
  for (const unit of masked) await linkUnit(upper, unit, '/dev/null')
  note(slot, { kind: 'mount', path: root })
  const overlay = `lowerdir=${options.layers.join(':')},upperdir=${upper},workdir=${work}`
  await run('mount', ['-t', 'overlay', 'overlay', '-o', overlay, root])
  return { root, binds, shared }
}

async function linkUnit(root: string, link: string, target: string): Promise<void> {
  const path = join(root, 'etc/systemd/system', link)
  await mkdir(dirname(path), { recursive: true })
  await symlink(target, path)
}
