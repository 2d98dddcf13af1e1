/** The agent as a process: its kubeconfig works, and is replaced by one of another cluster. */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setInterval } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { kubeNodeApi } from '../../src/agent/adapters/kube-node-api.ts'
import type { OwnNode } from '../../src/agent/ports.ts'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { startApiServer } from '../../src/sim/apiserver/start-api-server.ts'
import { until } from '../waiting/until.ts'
import { kubeconfigFor, put, startAgent } from './agent-process.ts'

const STATUS = 'nodewave.io/status'
const DESIRED = 'nodewave.io/desired-config'

/** A cluster with the Node of this host, whose assignment nobody can read. */
async function aCluster(assignment: string) {
  const server = await startApiServer()
  const kube = createKubeClient({ server: server.url, credentials: async () => ({}) })
  const metadata = { name: 'n1', annotations: { [DESIRED]: assignment } }
  await kube.create('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata })
  const node = kubeNodeApi(kube, 'n1')
  const wanted = ({ annotations }: OwnNode): boolean => annotations[STATUS]?.includes(assignment) ?? false
  return {
    url: server.url,
    /** The agent reports on the assignment of this cluster. */
    told: () => until((signal) => node.follow(signal), { for: `a report on "${assignment}"`, wanted }),
    /** Nobody follows it: a connection that was closed is heard of a little later. */
    isLeft: () => until(() => watchesOf(server), { for: 'the last watch to end', wanted: (watches) => watches === 0 }),
    [Symbol.asyncDispose]: () => server.close(),
  }
}

async function* watchesOf(server: { readonly watchCount: number }): AsyncGenerator<number> {
  for await (const _ of setInterval(10)) yield server.watchCount
}

test('agent reports to the other cluster, and leaves the first, when a kubeconfig that works is replaced under it', async () => {
  const root = mkdtempSync(join(tmpdir(), 'agent-'))
  using _ = { [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) }
  await using first = await aCluster('of the first')
  await using other = await aCluster('of the other')
  const kubeconfig = join(root, 'etc/kubernetes/kubelet.conf')
  put(kubeconfig, kubeconfigFor(first.url, 'one'))
  await using agent = startAgent(root, './agent-in-haste.ts')
  await first.told()

  writeFileSync(kubeconfig, '{"clusters": [')
  put(`${kubeconfig}.new`, kubeconfigFor(other.url, 'two'))
  renameSync(`${kubeconfig}.new`, kubeconfig)

  expect(await agent.line(/the kubeconfig was replaced/)).toContain(kubeconfig)
  await other.told()
  await first.isLeft()
})
