/** Nodes that kubeadm, packages and an environment file made are imported: the repository is valid, its rollout changes and restarts nothing. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { waitUntil } from '../cluster/wait.ts'
import { type RunResult, run } from '../exec.ts'
import { checkout } from '../product/checkout.ts'
import { completed, waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [
  { name: 'import', nodes: [{}, { packaged: true }, { layout: 'env' }], run: importing },
]

interface Imported {
  readonly valid: boolean
  readonly changes: readonly unknown[]
  readonly pools: readonly {
    readonly name: string
    readonly nodes: readonly string[]
    readonly matchLabels: Readonly<Record<string, string>>
    readonly missingOn: readonly string[]
  }[]
}

async function importing(cluster: Cluster, { part, say }: Report): Promise<void> {
  await prepare(cluster)
  const { repository } = await part('agents installed, controller started', () => productOn(cluster))
  const { clone } = repository
  const before = await Promise.all(cluster.nodes.map(stateOf))
  const imported = await part('hosts asked, repository written', () => importInto(cluster, clone))
  say(imported.pools.map(({ name, nodes }) => `${name}: ${nodes.join(' ')}`).join(', '))
  const names = imported.pools.map(({ name, nodes }) => `${name} ${nodes.join(' ')}`).sort()
  check('each node has a pool', String(names) === 'control-plane n1,workers n2,workers-2 n3', names)
  check('import finds that nothing would change', imported.valid && imported.changes.length === 0, imported)
  for (const { missingOn, matchLabels } of imported.pools) {
    const labels = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`)
    if (missingOn.length > 0) await cluster.kubectl(['label', 'node', ...missingOn, ...labels])
  }
  const valid = await nodewave(cluster, ['validate', clone])
  check('validate finds nothing', valid.code === 0 && !/error|warning/.test(valid.stdout), valid)

  const commit = await repository.push({}, 'as the nodes run')
  const planned = await nodewave(cluster, ['plan', clone, '--kubeconfig', cluster.kubeconfig])
  check('plan has no change', planned.code === 0, planned)
  await part('push → all pools Ready', async () => {
    for (const { name } of imported.pools) await waitPool(cluster, { for: 'Ready', when: completed(commit), pool: name })
  })
  for (const [index, node] of cluster.nodes.entries()) {
    const after = await stateOf(node)
    check(`files and processes of "${node.name}" are as before`, after === before[index], difference(before[index] ?? '', after))
  }
  await part('a commit changes what the import wrote', async () => {
    const pool = await readFile(join(clone, 'pools/workers.yaml'), 'utf8')
    await repository.push({ 'pools/workers.yaml': pool.replace('v: 3', 'v: 4') }, 'more verbose')
    const node = cluster.node('n2')
    await waitUntil(async () => (await commandOf(node)).includes('--v=4'), { for: 'the kubelet to run with --v=4' })
  })
  await part('two lines upgrade the kubelet that is a package', () => upgrade(cluster, clone, repository))
}

/** As docs/import.md says it: the repository of the newer minor version in the file that was imported, and the version. */
async function upgrade(cluster: Cluster, clone: string, repository: Product['repository']): Promise<void> {
  const [pool, profile] = ['pools/workers.yaml', 'hosts/workers.yaml']
  const minors = [versions.olderKubelet, versions.kubernetes].map((version) => `v${version.split('.').slice(0, 2).join('.')}`)
  const [older = '', newer = ''] = minors
  const text = async (path: string): Promise<string> => readFile(join(clone, path), 'utf8')
  const files = {
    [pool]: (await text(pool)).replace(versions.olderKubelet, versions.kubernetes),
    [profile]: (await text(profile)).replace(`/${older}/`, `/${newer}/`),
  }
  check('the file of the repository was imported', files[profile]?.includes(`/${newer}/`) === true, files)
  await repository.push(files, 'a newer kubelet')
  const node = cluster.node('n2')
  await node.waitVersion(versions.kubernetes)
  const status = await node.output(['dpkg', '--status', 'kubelet'])
  check('the package is held', status.includes('Status: hold ok installed'), status)
}

/** What people have beside what kubeadm writes. */
async function prepare(cluster: Cluster): Promise<void> {
  await cluster.kubectl(['label', 'node', 'n1', 'node-role.kubernetes.io/control-plane='])
  const node = cluster.node('n2')
  await node.write({ path: '/etc/default/kubelet', content: 'KUBELET_EXTRA_ARGS="--v=3 --node-labels=rack=7,disk=ssd"\n' })
  await node.write({ path: '/etc/sysctl.d/90-kubernetes.conf', content: 'net.ipv4.ip_forward = 1\n' })
  await node.write({ path: '/etc/containerd/certs.d/docker.io/hosts.toml', content: 'server = "https://registry-1.docker.io"\n' })
  await node.exec(['systemctl', 'restart', 'kubelet'])
  const env = cluster.node('n3')
  await env.exec(['sed', '-i', 's/^KUBELET_OPTS=.*/KUBELET_OPTS="--v=3 --max-pods=90"/', '/etc/kubernetes/kubelet.env'])
  await env.exec(['systemctl', 'restart', 'kubelet'])
  await waitUntil(async () => (await commandOf(node)).includes('--v=3'), { for: 'the kubelet to run with --v=3' })
  for (const each of cluster.nodes) await each.waitReady()
}

async function importInto(cluster: Cluster, folder: string): Promise<Imported> {
  const hosts = join(cluster.slot.dir, 'hosts')
  await mkdir(hosts, { recursive: true })
  for (const node of cluster.nodes) {
    const command = ['/opt/nodewave/node', '/opt/nodewave/current/nodewave-agent.mjs', 'import', '--node-name', node.name]
    await writeFile(join(hosts, `${node.name}.json`), await node.output(command))
  }
  const args = ['import', folder, '--host', hosts, '--kubeconfig', cluster.kubeconfig, '-o', 'json']
  const result = await nodewave(cluster, args)
  check('import ends well', result.code === 0 && result.stderr === '', result)
  return JSON.parse(result.stdout) as Imported
}

function nodewave(cluster: Cluster, args: readonly string[]): Promise<RunResult> {
  const env = { HOME: cluster.slot.dir }
  return run(process.execPath, [join(checkout, 'src/cli/main.ts'), ...args], { allowFailure: true, timeoutMs: 300_000, env })
}

/** Every configuration file with its checksum, and the processes of kubelet and runtime. */
async function stateOf(node: Node): Promise<string> {
  const places = '/etc /var/lib/kubelet/config.yaml /var/lib/kubelet/kubeadm-flags.env /usr/bin/kubelet'
  const files = await node.output([
    'sh',
    '-c',
    `find ${places} -type f -exec sha256sum {} + 2>/dev/null | sort -k 2; find /etc -type l | sort`,
  ])
  const processes = await node.output(['systemctl', 'show', 'kubelet', 'containerd', '--property=Id,MainPID,NRestarts'])
  return `${files}\n${processes}`
}

function difference(before: string, after: string): string[] {
  const lines = new Set(before.split('\n'))
  return after.split('\n').filter((line) => !lines.has(line))
}

async function commandOf(node: Node): Promise<string> {
  const { MainPID: pid } = await node.unit()
  return node.output(['sh', '-c', `tr '\\0' ' ' < /proc/${pid}/cmdline`])
}
