import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { loadFleet } from '../../src/repo/load-fleet.ts'
import { hostOf } from '../agent/support/kind-stories.ts'
import { Machine } from '../agent/support/machine.ts'
import { publishedContent } from '../agent/support/published.ts'
import { aRepo } from '../repo/fleets.ts'
import { pageEdit, pageFiles } from './page-files.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/from-the-origins.md'), 'utf8')

test('the YAML of the page is a valid fleet, but for the checksums that people fill in', () => {
  const files = pageFiles(PAGE)
  expect(Object.keys(files).sort()).toEqual([
    'config/cluster.yaml',
    'config/workers.yaml',
    'fleet.yaml',
    'hosts/files/containerd.toml',
    'hosts/node.yaml',
    'overrides/worker-1.yaml',
    'pools/workers.yaml',
    'releases/upstream.yaml',
  ])
  const { model, problems } = loadFleet(aRepo(files))
  expect(problems.map(({ severity, reason }) => `${severity} ${reason}`)).toEqual(Array(4).fill('warning MissingChecksum'))
  expect(model?.pools.get('workers')?.spec.kubelet?.config).toEqual(['cluster', 'workers'])
})

test('the edit of the page is one of its files', () => {
  const { path, before, after } = pageEdit(PAGE)
  const files = pageFiles(PAGE)
  expect(files[path]?.split('\n')).toContain(before)
  const edited = { ...files, [path]: files[path]?.replace(before, after) ?? '' }
  expect(loadFleet(aRepo(edited)).model?.kubeletConfigs.get('workers')?.spec.config.eventRecordQPS).toBe(10)
})

test('no block of YAML on the page is left out', () => {
  const blocks = PAGE.match(/^```(?:yaml|toml)$/gm) ?? []
  expect(Object.keys(pageFiles(PAGE))).toHaveLength(blocks.length)
})

function bare(): Machine {
  const machine = new Machine({ layout: 'bare', units: [] })
  const { files, packages, kernel } = machine.host
  files.put('/etc/kubernetes/kubelet.conf', 'credential\n', { mode: 0o600 })
  files.put('/etc/fstab', '/dev/sda2 none swap sw 0 0\n')
  void kernel.swapOn({ path: '/dev/sda2', priority: -2 })
  packages.offers.set('https://deb.debian.org/debian/', [{ name: 'socat', version: '1.7', files: { '/usr/bin/socat': 'socat' } }])
  files.put('/etc/apt/sources.list.d/debian.sources', 'Types: deb\nURIs: https://deb.debian.org/debian/\nSuites: bookworm\n')
  return machine
}

test('the YAML of the page makes a bare machine a node, its edit reaches the kubelet, and without Git the machine is bare again', async () => {
  const node = { name: 'worker-1', labels: { pool: 'workers' }, arch: 'amd64', osImage: '' }
  const machine = bare()
  const { host } = machine
  const before = await hostOf(machine)
  const config = () => parse(host.files.text('/var/lib/kubelet/config.yaml') ?? '') as Record<string, unknown>
  machine.start()
  const files = pageFiles(PAGE)
  const content = publishedContent(machine, { files: aRepo(files), pool: 'workers', node })
  await machine.untilDigest(machine.assign(content, { GRANT: 'drain' }), 'Applied')
  expect(host.services.healthyVersion()).toBe('v1.35.4')
  expect(await host.kernel.swaps()).toEqual([])
  expect(await host.packages.installed('socat')).toMatchObject({ version: '1.7' })
  for (const path of ['/opt/cni/bin/bridge', '/usr/local/bin/containerd', '/usr/local/sbin/runc'])
    expect((await host.files.stat(path))?.mode, path).toBe(0o755)
  expect(config()).toMatchObject({ clusterDNS: ['10.95.0.10'], maxPods: 60, eventRecordQPS: 50 })

  const { path, before: line, after } = pageEdit(PAGE)
  const edited = { ...files, [path]: files[path]?.replace(line, after) ?? '' }
  const next = publishedContent(machine, { files: aRepo(edited), pool: 'workers', node })
  await machine.untilDigest(machine.assign(next, { GRANT: 'restart' }), 'Applied')
  expect(config().eventRecordQPS).toBe(10)

  machine.annotate(null)
  await machine.until('Reverted')
  expect((await hostOf(machine)).files).toEqual(before.files)
})
