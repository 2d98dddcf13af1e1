/** In place of a CoreOS Node Agent: the commands of its documentation, its prefix and its namespace, on a node of its kind. No controller. */

import { bundleAgent } from '../../../scripts/bundle-agent.ts'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { waitUntil } from '../cluster/wait.ts'
import { installAgent } from '../product/agent.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'coreos', nodes: [{ layout: 'env' }], run: likeCoreos }]

const prefix = 'node-agent.alpha.coreos.com'
const environmentFile = '/etc/kubernetes/kubelet.env'

const configMap = `
kind: ConfigMap
apiVersion: v1
metadata:
  name: kubelet-config-v2
  namespace: kube-system
data:
  kubelet-flags: "--max-pods=64 --v=3"
`

async function likeCoreos(cluster: Cluster, { part }: Report): Promise<void> {
  const node = cluster.node('n1')
  const before = await node.read(environmentFile)
  await part('agent installed', () => install(cluster, node))
  await cluster.apply(configMap)
  const desired = `{"KUBELET_VERSION": "v${versions.kubernetes}", "KUBELET_CONFIG": "kubelet-config-v2"}`
  await part('annotate → version visible, current-config written', async () => {
    await cluster.kubectl(['annotate', '--overwrite', 'node', node.name, `${prefix}/desired-config=${desired}`])
    await node.waitVersion(versions.kubernetes)
    await isCurrent(node, desired)
  })
  const columns = '-o=custom-columns=NAME:.metadata.name,ANNOTATIONS:.metadata.annotations'
  const shown = await cluster.kubectl(['get', 'nodes', columns])
  check('kubectl shows what the node runs', shown.includes(`${prefix}/current-config`), shown)
  check('the kubelet runs with the flags', (await commandOf(node)).includes('--max-pods=64'), await commandOf(node))
  const after = await node.read(environmentFile)
  check('only the two variables have changed in the file', others(after) === others(before) && after !== before, after)
  await part('annotation removed → local configuration', async () => {
    await cluster.kubectl(['annotate', 'node', node.name, `${prefix}/desired-config-`])
    await node.waitVersion(versions.olderKubelet)
    await isCurrent(node, undefined)
  })
  check('the file is as it was, byte for byte', (await node.read(environmentFile)) === before)
  check('the kubelet runs without the flags', !(await commandOf(node)).includes('--max-pods=64'), await commandOf(node))
}

/** The agent reads ConfigMaps where CoreOS kept them, so kubelets must be allowed to. */
async function install(cluster: Cluster, node: Node): Promise<void> {
  const inKubeSystem = ['-n', 'kube-system', 'create']
  await cluster.kubectl([...inKubeSystem, 'role', 'node-agent', '--verb=get', '--resource=configmaps'])
  await cluster.kubectl([...inKubeSystem, 'rolebinding', 'node-agent', '--role=node-agent', '--group=system:nodes'])
  const args = ['--annotation-prefix', prefix, '--namespace', 'kube-system', '--layout', 'env']
  await installAgent(node, { bundle: await bundleAgent(cluster.slot.dir), args })
}

async function isCurrent(node: Node, desired: string | undefined): Promise<void> {
  const current = async () => (await node.get()).metadata.annotations?.[`${prefix}/current-config`] === desired
  await waitUntil(current, { for: `current-config of "${node.name}" to be ${desired ?? 'gone'}` })
}

async function commandOf(node: Node): Promise<string[]> {
  return (await node.read(`/proc/${(await node.unit()).MainPID}/cmdline`)).split('\0')
}

/** Everything in an environment file that is not the agent's. */
function others(text: string): string {
  return text.replaceAll(/^KUBELET_(?:OPTS|VERSION)=.*$/gm, '')
}
