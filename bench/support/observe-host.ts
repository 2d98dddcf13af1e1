/**
 * The program that `bench/agent-observe.ts` bundles: looks at 60 resources of many kinds that are as they should be, over and over, and prints
 * how long it took. The host is a tree below a temporary directory; sysctls and modules are those of the kernel that runs.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HostTree } from '../../src/agent/adapters/host-tree.ts'
import { nodeFiles } from '../../src/agent/adapters/node-files.ts'
import { hostPackages } from '../../src/agent/adapters/packages/host-packages.ts'
import { procKernel } from '../../src/agent/adapters/proc-kernel.ts'
import { runProgram } from '../../src/agent/adapters/run-program.ts'
import { systemd } from '../../src/agent/adapters/systemd.ts'
import { statePaths } from '../../src/agent/paths.ts'
import { Kinds } from '../../src/agent/resources/kinds.ts'
import { documentResources } from '../../src/agent/resources/read-document.ts'
import { filesOf } from '../../src/agent/resources/repository-files.ts'
import { sha256Of } from '../../src/agent/sha256.ts'
import { observeAll } from '../../src/agent/transaction/observe-all.ts'
import type { HostDocument } from '../../src/protocol/host-document.ts'

const LOOKS = 30
const SETTINGS = [
  'vm/swappiness',
  'vm/dirty_ratio',
  'fs/file-max',
  'kernel/pid_max',
  'net/core/somaxconn',
  'fs/inotify/max_user_watches',
]
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

const root = await mkdtemp(join(tmpdir(), 'nodewave-observe-'))
const files = nodeFiles(new HostTree(root))
const kernel = procKernel()
const put = (path: string, text: string) => files.writeAtomic(path, Buffer.from(text), { mode: 0o644 })

const key = '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nabc\n-----END PGP PUBLIC KEY BLOCK-----\n'
const sysctls: Record<string, string> = {}
for (const path of SETTINGS)
  sysctls[path.replaceAll('/', '.')] = ((await kernel.readSysctl(path)) ?? '').trim().split(/\s+/).join(' ')
const service = (index: number) => `[Service]\nExecStart=/bin/sleep ${index}\n[Install]\nWantedBy=multi-user.target\n`
const manifest = (index: number) => `apiVersion: v1\nkind: Pod\nmetadata: {name: pod-${index}}\n${'# more\n'.repeat(40)}`
const MANIFESTS = '/etc/kubernetes/manifests'
const MODULES = (await readdir('/sys/module')).slice(0, 3)
const CERTIFICATE = `-----BEGIN CERTIFICATE-----\n${`${'A'.repeat(64)}\n`.repeat(20)}-----END CERTIFICATE-----\n`
const PLUGIN = Buffer.alloc(4 * 1024 * 1024, 'plugin')
const archive = { url: 'https://a.test/plugins.tgz', sha256: '0'.repeat(64) }
const document: HostDocument = {
  repositories: numbers(2).map((index) => ({ name: `r${index}`, apt: { url: `https://r${index}.test/`, suite: '/', key } })),
  packages: numbers(8).map((index) => ({ name: `package-${index}`, version: '1.0-1' })),
  files: numbers(7).map((index) => ({
    path: `/etc/systemd/system/service-${index}.service.d/10-nodewave.conf`,
    content: `[Service]\nEnvironment=INDEX=${index}\n`.repeat(20),
  })),
  edits: numbers(3).map((index) => ({
    path: `/etc/edited-${index}`,
    blocks: [{ name: 'b', content: 'ours\n' }],
    lines: ['a', 'b'],
  })),
  directories: numbers(3).map((index) => ({ path: `/srv/data-${index}`, mode: '0755' })),
  links: numbers(3).map((index) => ({ path: `/etc/link-${index}`, target: `/srv/data-${index}` })),
  archives: [{ name: 'plugins', ...archive, directory: '/opt/cni/bin' }],
  groups: numbers(2).map((index) => ({ name: `crew-${index}`, gid: 1400 + index })),
  users: numbers(2).map((index) => ({ name: `user-${index}`, uid: 1500 + index, shell: '/bin/sh' })),
  units: numbers(4).map((index) => ({ name: `own-${index}.service`, content: service(index), enabled: true, state: 'running' })),
  certificates: numbers(3).map((index) => ({ name: `ca-${index}`, content: CERTIFICATE })),
  staticPods: numbers(4).map((index) => ({
    ...{ path: `${MANIFESTS}/pod-${index}.yaml`, namespace: 'default', name: `pod-${index}` },
    ...{ digest: '0'.repeat(20), content: manifest(index), readySeconds: 60 },
  })),
  kernelModules: MODULES,
  sysctls,
}

for (const { path, text } of (document.repositories ?? []).flatMap(filesOf)) await put(path, text)
for (const { path, content = '' } of document.files ?? []) await put(path, content)
for (const { path } of document.directories ?? []) await files.makeDirectory(path, { mode: 0o755 })
for (const { path, target } of document.links ?? []) await files.link(path, target)
for (const { path } of document.edits ?? [])
  await put(path, '# BEGIN nodewave b\nours\n# END nodewave b\n# BEGIN nodewave lines\na\nb\n# END nodewave lines\n')
for (const { name, content = '' } of document.units ?? []) await put(`/etc/systemd/system/${name}`, content)
for (const { name, content } of document.certificates ?? [])
  await put(`/usr/local/share/ca-certificates/nodewave-${name}.crt`, content)
for (const { path, content } of document.staticPods ?? []) await put(path, content)
await put(
  '/etc/modules-load.d/nodewave.conf',
  `# Written by nodewave: a change here is overwritten.\n${MODULES.map((name) => `${name}\n`).join('')}`,
)
const members = numbers(5).map((index) => ({ place: `plugin-${index}`, mode: 0o755, sha256: sha256Of(PLUGIN) }))
for (const { place } of members) await files.writeAtomic(`/opt/cni/bin/${place}`, PLUGIN, { mode: 0o755 })
await put(`${statePaths().store}/${archive.sha256}-0.json`, JSON.stringify({ files: members, links: [] }))
await put(
  '/etc/group',
  numbers(4)
    .map((index) => `crew-${index}:x:${1400 + index}:\nuser-${index}:x:${1500 + index}:\n`)
    .join(''),
)
await put(
  '/etc/passwd',
  numbers(4)
    .map((index) => `user-${index}:x:${1500 + index}:${1500 + index}::/home/user-${index}:/bin/sh\n`)
    .join(''),
)
// As many packages as a node has.
const status = (name: string): string =>
  `Package: ${name}\nStatus: hold ok installed\nMaintainer: a <a@b>\nArchitecture: amd64\nVersion: 1.0-1\nDescription: x\n${' more\n'.repeat(20)}\n`
await put('/var/lib/dpkg/info/dpkg.list', '/.\n')
await put(
  '/var/lib/dpkg/status',
  numbers(500)
    .map((index) => status(`package-${index}`))
    .join(''),
)

const packages = hostPackages({ root, files, stateDirectory: undefined })
/** A process that answers what systemctl would; to load that program and to ask systemd comes on top. */
const RUNNING = 'LoadState=loaded\nActiveState=active\nUnitFileState=enabled\nMainPID=7'
const services = systemd((_program, args, options) => {
  const units = args.slice(args.indexOf('--') + 1)
  return runProgram('/bin/echo', [units.map(() => RUNNING).join('\n\n')], options)
})
/** No resource of these needs them when nothing differs. */
const others = {
  trustStore: undefined as never,
  bootMenu: undefined as never,
  accounts: undefined as never,
  steps: undefined as never,
  clock: undefined as never,
}
const place = { files, paths: statePaths(), arch: 'amd64', manager: 'systemd' } as const
const resources = (await documentResources(document as never, { kinds: new Kinds(), place })).filter(
  // The file for the next boot is one more of files.
  ({ kind }) => kind !== 'sysctl-file',
)
const times: number[] = []
for (let look = 0; look < LOOKS; look++) {
  const [start, cpu] = [performance.now(), process.cpuUsage()]
  const { findings } = await observeAll(resources, { files, packages, services, kernel, ...others })
  for (const { subject, change } of findings) if (change !== undefined) throw new Error(`"${subject}" differs`)
  const { user, system } = process.cpuUsage(cpu)
  times.push(performance.now() - start, (user + system) / 1000)
}
await rm(root, { recursive: true })
process.stdout.write(JSON.stringify({ resources: resources.length, times }))
