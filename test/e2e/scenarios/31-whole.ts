/** One commit changes everything that belongs to a node, and the last step fails: then the host is what it was before. */
import { createHash } from 'node:crypto'
import { containerdRepository, containerdVersions } from '../artifacts/containerd-deb.ts'
import { toolsRepositories } from '../artifacts/tools-deb.ts'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import type { FleetOptions } from '../product/fleet.ts'
import { differences, hostState } from '../product/host-state.ts'
import { rolledBack, stallOf, waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { allAt } from '../product/upgrade.ts'
import { check, type Report, type Scenario } from '../scenario.ts'
import { containersOf, deploy } from '../workload.ts'

export const scenarios: readonly Scenario[] = [{ name: 'whole', nodes: [{ packaged: true }], group: 'packaged', run: wholeHost }]

const theirs = { path: '/etc/apt/sources.list.d/kubernetes.list', state: 'absent' }
const rollout = { onFailure: 'Rollback' }

async function wholeHost(cluster: Cluster, { part, say }: Report): Promise<void> {
  const product = await productOn(cluster)
  const node = cluster.node('n1')
  const { older, newer } = await fleetsOf(cluster)
  await part('everything comes under Git', () => product.settle(older))
  await deploy(cluster, { name: 'whole', replicas: 1 })
  const containers = await containersOf(cluster, 'whole')
  const before = await hostState(node)
  say(`${before.length} lines, ${digestOf(before)}`)
  await part('all of it changes, the kubelet fails → undone', () => failing({ cluster, product }, newer))
  await checkSame(node, before)
  await allAt(cluster, versions.olderKubelet)
  await part('the same without the fault → pool Ready', () => product.settle(newer))
  await allAt(cluster, versions.kubernetes)
  await checkChanged(node, before)
  await part('and back by a revert', () => product.settle(older))
  await checkSame(node, before)
  check('the pod has its container', JSON.stringify(await containersOf(cluster, 'whole')) === JSON.stringify(containers))
  await cluster.kubectl(['delete', 'deployment/whole'])
}

interface Place {
  readonly cluster: Cluster
  readonly product: Product
}

/** No preflight sees a runtime that is not there: the kubelet is the last that is restarted. */
async function failing({ cluster, product }: Place, newer: FleetOptions): Promise<void> {
  const flags = { 'container-runtime-endpoint': 'unix:///run/none.sock' }
  const commit = await product.push({ ...newer, flags }, 'everything, and a runtime that is not there')
  const status = await waitPool(cluster, { for: 'the failure', when: rolledBack(commit) })
  check('the pool says why', stallOf(status).includes('n1'), stallOf(status))
}

async function checkSame(node: Node, before: readonly string[]): Promise<void> {
  const after = await hostState(node)
  const found = differences(before, after)
  check(`the host is as before, ${digestOf(before)}`, found.length === 0, found.slice(0, 40))
}

/** What is compared would show each of the changes. */
async function checkChanged(node: Node, before: readonly string[]): Promise<void> {
  const found = differences(before, await hostState(node)).join('\n')
  const expected = [
    `+ package till-tools 1.1 hold ok installed`,
    `+ package containerd ${containerdVersions.second} hold ok installed`,
    `+ package kubelet ${versions.kubernetes}-1.1 hold ok installed`,
    '+ sysctl net.core.somaxconn = 5124',
    '+ sysctl net.ipv4.tcp_fin_timeout = 33',
    '+ file /etc/till/till.conf f 600 0:0',
    '+ file /etc/till/more.conf f 644 0:0',
  ]
  for (const line of expected) check(`the comparison shows "${line}"`, found.includes(line), found)
  for (const path of ['/etc/apt/sources.list.d/nodewave-tools.sources', '/usr/bin/kubelet', '/etc/sysctl.d/99-zz-nodewave.conf'])
    check(`the comparison shows "${path}"`, new RegExp(`^\\+ content [0-9a-f]+ ${path}$`, 'm').test(found), found)
}

function digestOf(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('\n')).digest('hex')
}

async function fleetsOf({ artifacts }: Cluster): Promise<Readonly<Record<'older' | 'newer', FleetOptions>>> {
  const repository = async (name: string, path: string) => {
    const url = `${artifacts}/${path}/`
    return { name, apt: { url, key: await (await fetch(`${url}Release.key`)).text() } }
  }
  const containerd = await repository('containerd', containerdRepository)
  const [stable, next] = [await repository('tools', toolsRepositories.stable), await repository('tools', toolsRepositories.next)]
  return {
    older: {
      version: versions.olderKubelet,
      packaged: true,
      rollout,
      host: {
        repositories: [containerd, stable],
        packages: [{ name: 'till-tools', version: '1.0' }],
        runtime: { containerd: { version: containerdVersions.first } },
        sysctls: { 'net.core.somaxconn': 5123 },
        files: [theirs, { path: '/etc/till/till.conf', content: 'old\n', mode: '0644' }],
      },
    },
    newer: {
      version: versions.kubernetes,
      packaged: true,
      rollout,
      host: {
        repositories: [containerd, next],
        packages: [{ name: 'till-tools', version: '1.1' }],
        runtime: { containerd: { version: containerdVersions.second } },
        sysctls: { 'net.core.somaxconn': 5124, 'net.ipv4.tcp_fin_timeout': 33 },
        files: [
          theirs,
          { path: '/etc/till/till.conf', content: 'new\n', mode: '0600' },
          { path: '/etc/till/more.conf', content: 'new\n' },
        ],
      },
    },
  }
}
