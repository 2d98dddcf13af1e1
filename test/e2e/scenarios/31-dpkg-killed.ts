/** The agent is killed while dpkg configures a package, once alone and once with dpkg: its next start ends or repairs that. */
import { SLOW_WHILE, toolsRepositories } from '../artifacts/tools-deb.ts'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { waitUntil } from '../cluster/wait.ts'
import { agentUnit } from '../product/agent.ts'
import { checkNotRestarted, kubeletsOf } from '../product/kubelets.ts'
import { type Product, productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [
  { name: 'dpkg-killed', nodes: [{ packaged: true }], group: 'packaged', run: killed },
]

const name = 'slow-tools'
const theirs = { path: '/etc/apt/sources.list.d/kubernetes.list', state: 'absent' }
const base = { version: versions.olderKubelet, packaged: true }

async function killed(cluster: Cluster, { part }: Report): Promise<void> {
  const product = await productOn(cluster)
  const node = cluster.node('n1')
  await part('fleet settled', () => product.settle({ ...base, host: { files: [theirs] } }))
  const kubelets = await kubeletsOf(cluster)
  await part('the agent is killed, dpkg goes on → the package is there', async () => {
    const commit = await interrupt({ cluster, product, node }, { channel: 'stable', units: [agentUnit] })
    await product.settled(commit)
  })
  await checkPackage(node, '1.0')
  await part('agent and dpkg are killed → repaired, and the package is there', async () => {
    const commit = await interrupt(
      { cluster, product, node },
      { channel: 'next', units: [agentUnit, 'nodewave-packages-*.service'] },
    )
    await product.settled(commit)
  })
  await checkPackage(node, '1.1')
  await checkNotRestarted(cluster, kubelets)
  await product.settle({ ...base, host: { files: [theirs] } })
  check('of the package its configuration is left', (await statusOf(node)) === 'deinstall ok config-files', await statusOf(node))
}

interface Place {
  readonly cluster: Cluster
  readonly product: Product
  readonly node: Node
}

interface Interruption {
  readonly channel: keyof typeof toolsRepositories
  /** That are killed. */
  readonly units: readonly string[]
}

/** The script of the package waits until the agent has been killed, so that the moment does not depend on the machine. */
async function interrupt({ cluster, product, node }: Place, { channel, units }: Interruption): Promise<string> {
  await node.write({ path: SLOW_WHILE, content: '' })
  const version = channel === 'stable' ? '1.0' : '1.1'
  const url = `${cluster.artifacts}/${toolsRepositories[channel]}/`
  const tools = { name: 'tools', apt: { url, key: await (await fetch(`${url}Release.key`)).text() } }
  const host = { repositories: [tools], packages: [{ name, version }], files: [theirs] }
  const commit = await product.push({ ...base, host }, `${name} ${version}`)
  await waitUntil(async () => (await statusOf(node)).includes('half-configured'), { for: 'dpkg to configure the package' })
  const before = await node.unit(agentUnit)
  await node.exec(['systemctl', 'kill', '--signal=KILL', ...units])
  await waitUntil(async () => isAnother(before.MainPID, (await node.unit(agentUnit)).MainPID), { for: 'another agent' })
  check('the package is not configured', !(await statusOf(node)).endsWith(' installed'), await statusOf(node))
  await node.exec(['rm', SLOW_WHILE])
  return commit
}

const isAnother = (before: string, after: string): boolean => after !== before && after !== '0'

async function statusOf(node: Node): Promise<string> {
  const { stdout } = await node.exec(['dpkg', '--status', name], { allowFailure: true })
  return /^Status: (.*)$/m.exec(stdout)?.[1] ?? ''
}

async function checkPackage(node: Node, version: string): Promise<void> {
  check('the package is installed and held', (await statusOf(node)) === 'hold ok installed', await statusOf(node))
  check('its program is the new one', (await node.output([name])) === `${name} ${version}`)
  check('dpkg has nothing to complain of', (await node.output(['dpkg', '--audit'])) === '')
  check('apt is content', (await node.exec(['apt-get', 'check'], { allowFailure: true })).code === 0)
}
