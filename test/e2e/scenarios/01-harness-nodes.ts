/** The harness itself, second part: nodes of every kind, switched off, rebooted, cut off from the API; and a push to a real repository. */
import { repositoryPath } from '../artifacts/apt-repository.ts'
import { packageRevision } from '../artifacts/kubelet-deb.ts'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { waitUntil } from '../cluster/wait.ts'
import { output } from '../exec.ts'
import { check, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [
  {
    name: 'harness-nodes',
    nodes: [{ packaged: true }, { layout: 'env' }],
    async run(cluster, { part }) {
      await part('packaged kubelet: held, and upgraded by apt', () => upgradePackage(cluster))
      await part('env layout: version fetched by the wrapper', () => upgradeByEnvironment(cluster))
      await part('reboot from inside: new bootID', () => reboot(cluster))
      await part('power off, boot: Ready', () => powerCycle(cluster))
      await part('API server killed and back', () => restartApiServer(cluster))
      await part('git push and clone over HTTP', () => pushAndClone(cluster))
    },
  },
]

async function upgradePackage(cluster: Cluster): Promise<void> {
  const node = cluster.node('n1')
  check('the package is held', (await node.output(['apt-mark', 'showhold'])) === 'kubelet')
  const list = '/etc/apt/sources.list.d/kubernetes.list'
  const older = repositoryPath(versions.olderKubelet)
  await node.write({ path: list, content: (await node.read(list)).replace(older, repositoryPath(versions.kubernetes)) })
  await node.exec(['apt-get', 'update'])
  const wanted = `kubelet=${versions.kubernetes}-${packageRevision}`
  await node.exec(['apt-get', 'install', '-y', '--allow-change-held-packages', wanted], {
    env: { DEBIAN_FRONTEND: 'noninteractive' },
  })
  await node.exec(['systemctl', 'restart', 'kubelet'])
  await node.waitVersion(versions.kubernetes)
}

async function upgradeByEnvironment(cluster: Cluster): Promise<void> {
  const node = cluster.node('n2')
  const path = '/etc/kubernetes/kubelet.env'
  const content = (await node.read(path)).replace(/^KUBELET_VERSION=.*$/m, `KUBELET_VERSION=${versions.kubernetes}`)
  await node.write({ path, content })
  await node.exec(['systemctl', 'restart', 'kubelet'])
  await node.waitVersion(versions.kubernetes)
}

async function reboot(cluster: Cluster): Promise<void> {
  const node = cluster.node('n1')
  const { bootID } = (await node.get()).status.nodeInfo
  await node.exec(['systemctl', 'reboot'], { allowFailure: true }) // it may end with the node
  const rebooted = async () => (await node.get()).status.nodeInfo.bootID !== bootID
  await waitUntil(rebooted, { for: 'a new bootID' })
  await node.waitReady()
}

async function powerCycle(cluster: Cluster): Promise<void> {
  const node = cluster.node('n2')
  const { bootID } = (await node.get()).status.nodeInfo
  await node.powerOff()
  await node.boot()
  const rebooted = async () => (await node.get()).status.nodeInfo.bootID !== bootID
  await waitUntil(rebooted, { for: 'a new bootID' })
  await node.waitReady()
}

async function restartApiServer(cluster: Cluster): Promise<void> {
  await cluster.stop('kube-apiserver')
  const answers = await cluster.api.send('/readyz').then(
    () => true,
    () => false,
  )
  check('a killed API server does not answer', !answers)
  cluster.start('kube-apiserver')
  await cluster.waitReady()
  await Promise.all(cluster.nodes.map((node) => node.waitReady()))
}

async function pushAndClone(cluster: Cluster): Promise<void> {
  const repository = await cluster.repository('fleet')
  const first = await repository.push({ 'pools/workers.yaml': 'first\n' }, 'first')
  const second = await repository.push({ 'pools/workers.yaml': 'second\n' }, 'second')
  const reverted = await repository.revert(second)
  const head = await output('git', ['ls-remote', repository.url, `refs/heads/${repository.branch}`])
  check('the server has what was pushed', head.startsWith(reverted), head)
  const tree = (commit: string) => repository.git(['rev-parse', `${commit}^{tree}`])
  check('a revert brings the tree back', (await tree(first)) === (await tree(reverted)))
  // A node reaches the repository too.
  await cluster.node('n1').exec(['curl', '-fsS', '-o', '/dev/null', `${repository.url}/info/refs?service=git-upload-pack`])
}
