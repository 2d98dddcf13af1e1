/** The harness itself: does what it makes behave as a real cluster does? Everything else is built on these answers. */
import { isDeepStrictEqual } from 'node:util'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { waitUntil } from '../cluster/wait.ts'
import { check, type Scenario } from '../scenario.ts'
import { startTimeline } from '../timeline.ts'
import { containersOf, deploy, sampleAvailability } from '../workload.ts'

export const scenarios: readonly Scenario[] = [
  {
    name: 'harness',
    nodes: [{}, {}],
    async run(cluster, { part }) {
      using timeline = await startTimeline(cluster.api)
      await part('deployment of 2 ready', () => deploy(cluster, { name: 'web', replicas: 2, minAvailable: 1 }))
      const before = await containersOf(cluster, 'web')
      await using sampler = sampleAvailability(cluster, 'web')
      await part('kubelet replaced, new version in the API', () => replaceKubelet(cluster))
      check('pods keep their containers', isDeepStrictEqual(before, await containersOf(cluster, 'web')), before)
      const moments = await timeline.upToNow()
      check(
        'the timeline has seen it',
        moments.some(({ kubelet }) => kubelet === versions.kubernetes),
        moments,
      )
      check('both pods were ready throughout', sampler.samples() > 2 && sampler.fewest() === 2, sampler.fewest())
      await part('unknown flag: auto-restart seen', () => breakKubelet(cluster))
      await part('flag removed: healthy again', () => repairKubelet(cluster))
    },
  },
]

async function replaceKubelet(cluster: Cluster): Promise<void> {
  const node = cluster.node('n1')
  const url = `${cluster.artifacts}/release/v${versions.kubernetes}/bin/linux/amd64/kubelet`
  await node.exec(['curl', '-fsS', '-o', '/usr/bin/kubelet.new', url])
  await node.exec(['chmod', '0755', '/usr/bin/kubelet.new'])
  await node.exec(['mv', '/usr/bin/kubelet.new', '/usr/bin/kubelet'])
  await node.exec(['systemctl', 'restart', 'kubelet'])
  await node.waitVersion(versions.kubernetes)
}

async function breakKubelet(cluster: Cluster): Promise<void> {
  const node = cluster.node('n2')
  await node.write({ path: '/etc/default/kubelet', content: 'KUBELET_EXTRA_ARGS=--no-such-flag\n' })
  await node.exec(['systemctl', 'restart', 'kubelet'])
  await waitUntil(async () => (await node.unit()).SubState === 'auto-restart', { for: 'auto-restart' })
  const named = async () => (await node.journal()).includes('unknown flag: --no-such-flag')
  await waitUntil(named, { for: 'the kubelet to name the flag' })
}

async function repairKubelet(cluster: Cluster): Promise<void> {
  const node = cluster.node('n2')
  await node.write({ path: '/etc/default/kubelet', content: 'KUBELET_EXTRA_ARGS=\n' })
  await node.exec(['systemctl', 'restart', 'kubelet'])
  const healthy = () => node.output(['curl', '-fsS', 'http://127.0.0.1:10248/healthz'])
  await waitUntil(async () => (await healthy()) === 'ok', { for: 'healthz' })
  await node.waitReady()
}
