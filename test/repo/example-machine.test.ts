/** The example's bare machine on a simulated host: everything that its profile names, and back. */
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RepoFile } from '../../src/protocol/repo-snapshot.ts'
import { hostOf } from '../agent/support/kind-stories.ts'
import { Machine } from '../agent/support/machine.ts'
import { publishedContent } from '../agent/support/published.ts'

const root = join(import.meta.dirname, '../../examples/repo')
const ZEROS = '0'.repeat(64)
const NODE = { name: 'm1', labels: { pool: 'machines' }, arch: 'amd64', osImage: 'Debian GNU/Linux 12' }
function contentOf(machine: Machine) {
  const paths = globSync('**/*', { cwd: root }).filter((path) => statSync(join(root, path)).isFile())
  const files = new Map(paths.map((path): [string, RepoFile] => [path, fileAt(path)]))
  return publishedContent(machine, { files, pool: 'machines', node: NODE })
}

function fileAt(path: string): RepoFile {
  return { kind: 'file', bytes: readFileSync(join(root, path)) }
}

function bare(): Machine {
  const machine = new Machine({ layout: 'bare', units: ['systemd-timesyncd.service', 'ssh.service'] })
  const { files, packages, kernel } = machine.host
  files.put('/etc/kubernetes/kubelet.conf', 'credential\n', { mode: 0o600 })
  files.put('/etc/passwd', 'root:x:0:0:root:/root:/bin/bash\n')
  files.put('/etc/group', 'root:x:0:\n')
  files.put('/etc/fstab', '/dev/sda2 none swap sw 0 0\n')
  void kernel.swapOn({ path: '/dev/sda2', priority: -2 })
  packages.offers.set(
    'https://deb.debian.org/debian/',
    ['conntrack', 'ethtool', 'iptables'].map((name) => ({ name, version: '1.0', files: { [`/usr/sbin/${name}`]: name } })),
  )
  files.put('/etc/apt/sources.list.d/debian.sources', 'Types: deb\nURIs: https://deb.debian.org/debian/\nSuites: bookworm\n')
  return machine
}

test('the bare machine of the example becomes a node, with all that its profile names, and is bare again', async () => {
  const machine = bare()
  const before = await hostOf(machine)
  machine.start()
  const content = contentOf(machine)
  expect(JSON.stringify(content)).not.toContain(ZEROS)
  await machine.untilDigest(machine.assign(content, { GRANT: 'drain' }), 'Applied')

  const { host } = machine
  expect(host.services.healthyVersion()).toBe('v1.35.4')
  expect(await host.services.show('containerd.service')).toMatchObject({ active: 'active', enabled: true })
  expect(await host.kernel.swaps()).toEqual([])
  expect(host.kernel.snapshot().sysctls).toMatchObject({ 'net/ipv4/ip_forward': '1', 'vm/max_map_count': '262144' })
  for (const path of ['/opt/cni/bin/bridge', '/usr/local/bin/crictl', '/usr/local/bin/containerd', '/usr/local/sbin/runc'])
    expect((await host.files.stat(path))?.mode, path).toBe(0o755)
  expect(host.files.text('/etc/containerd/config.toml')).toContain('SystemdCgroup = true')
  expect(host.files.text('/etc/passwd')).toContain('alice:x:1500:')
  expect(await host.packages.installed('conntrack')).toMatchObject({ version: '1.0' })
  await machine.clock.advance(20 * 60_000)
  expect(machine.status?.drift ?? []).toEqual([])

  machine.annotate(null)
  await machine.until('Reverted')
  expect((await hostOf(machine)).files).toEqual(before.files)
})
