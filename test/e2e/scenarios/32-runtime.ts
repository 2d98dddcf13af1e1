/** containerd as a package from Git: upgraded under a pod that answers without a gap; a broken version goes back by itself. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { containerdRepository, containerdVersions } from '../artifacts/containerd-deb.ts'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import type { FleetOptions } from '../product/fleet.ts'
import { rolledBack, stallOf, waitPool } from '../product/pool.ts'
import { productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'
import { containersOf, deploy, podsOf } from '../workload.ts'

export const scenarios: readonly Scenario[] = [{ name: 'runtime', nodes: [{}], run: upgradeRuntime }]

const service = 'containerd.service'
const { first, second, broken } = containerdVersions

async function upgradeRuntime(cluster: Cluster, { part, say }: Report): Promise<void> {
  const product = await productOn(cluster)
  const node = cluster.node('n1')
  const fleet = await fleetOf(cluster)
  await deploy(cluster, { name: 'shop', replicas: 1 })
  const containers = await containersOf(cluster, 'shop')
  await using sampler = await askPod(cluster, node)
  await part('containerd comes under Git', () => product.settle(fleet(first)))
  const before = await node.unit(service)
  await part('push → containerd upgraded', () => product.settle(fleet(second)))
  await checkVersion(node, second)
  const after = await node.unit(service)
  check('another containerd runs', after.MainPID !== before.MainPID && after.ActiveState === 'active', { before, after })
  await part('a broken version → the one before runs', async () => {
    const commit = await product.push(fleet(broken), 'a containerd that ends at once')
    const status = await waitPool(cluster, { for: 'the failure', when: rolledBack(commit) })
    check('the pool says what containerd said', stallOf(status).includes('out of luck'), stallOf(status))
  })
  await checkVersion(node, second)
  check('containerd runs', (await node.unit(service)).ActiveState === 'active')
  check('the pod has its container', isDeepStrictEqual(containers, await containersOf(cluster, 'shop')), containers)
  const { asked, missed } = sampler.counts()
  say(`the pod was asked ${asked} times`)
  check('the pod has always answered', asked > 20 && missed.length === 0, { asked, missed })
}

async function fleetOf({ artifacts }: Cluster): Promise<(version: string) => FleetOptions> {
  const url = `${artifacts}/${containerdRepository}/`
  const key = await (await fetch(`${url}Release.key`)).text()
  return (version) => ({
    version: versions.olderKubelet,
    rollout: { onFailure: 'Rollback' },
    host: { repositories: [{ name: 'containerd', apt: { url, key } }], runtime: { containerd: { version } } },
  })
}

async function checkVersion(node: Node, version: string): Promise<void> {
  const status = (await node.output(['dpkg', '--status', 'containerd'])).split('\n')
  check(
    `containerd is ${version}, held`,
    status.includes(`Version: ${version}`) && status.includes('Status: hold ok installed'),
    status,
  )
}

/** Asks the pod over the network of its node, ten times a second. */
async function askPod(cluster: Cluster, node: Node) {
  const [pod] = await podsOf(cluster, 'shop')
  const url = `http://${pod?.status.podIP}:8080/`
  const stop = new AbortController()
  const missed: string[] = []
  let asked = 0
  const loop = (async () => {
    while (!stop.signal.aborted) {
      const { code, stderr } = await node.exec(['curl', '-sS', '-o', '/dev/null', '-m', '5', url], { allowFailure: true })
      asked++
      if (code !== 0) missed.push(stderr.trim())
      await sleep(100)
    }
  })()
  return {
    counts: () => ({ asked, missed }),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await loop
    },
  }
}
