import { expect, test } from 'vitest'
import type { KubeApi } from '../../src/kube/kube-api.ts'
import { aFleet } from './a-fleet.ts'
import { Replicas } from './replicas.ts'
import { assignedRevision, NODES, POOLS, readyOf } from './stage.ts'

const A = 'a'.repeat(40)
const SECOND = 1000

async function assignedTo(replicas: Replicas, revision: string): Promise<string[]> {
  const nodes = await replicas.list(NODES)
  return nodes.filter((node) => assignedRevision(node) === revision).map(({ metadata }) => metadata.name)
}

async function readiness(replicas: Replicas): Promise<string> {
  const [pool] = await replicas.list(POOLS)
  return readyOf(pool)
}

/** A client whose patches of nodes are sent at once, and arrive so many milliseconds later. */
function slow({ kube, clock }: Replicas, takes: number, sent: string[]): KubeApi {
  const patch: KubeApi['patch'] = async (path, ...rest) => {
    if (path.startsWith(`${NODES}/`)) {
      sent.push(path.slice(NODES.length + 1))
      await clock.sleep(takes)
    }
    return kube.patch(path, ...rest)
  }
  return { ...kube, patch }
}

test.each([
  ['a pool', `${POOLS}/workers`],
  ['the fleet', '/api/v1/namespaces/nodewave-system/configmaps/nodewave-fleet'],
])('a pause of %s stops what waits to be sent to a slow API server', async (_, object) => {
  await using replicas = await Replicas.create({ nodes: 40 })
  const { kube, clock } = replicas
  const labels = { 'app.kubernetes.io/managed-by': 'nodewave', 'nodewave.io/kind': 'fleet' }
  await kube.create('/api/v1/namespaces/nodewave-system/configmaps', { metadata: { name: 'nodewave-fleet', labels } })
  const sent: string[] = []
  await replicas.start('first', { kube: slow(replicas, 1.5 * SECOND, sent) })
  replicas.push('a', aFleet({ rollout: 'maxUnavailable: 40' }))
  await clock.advance(2 * SECOND)
  const before = sent.length
  await kube.patch(object, { metadata: { annotations: { 'nodewave.io/paused': 'something is wrong' } } })
  await clock.advance(30 * SECOND)
  expect([before, sent.length]).toEqual([32, 32])
  expect(await readiness(replicas)).toBe('False Paused')
  await kube.patch(object, { metadata: { annotations: { 'nodewave.io/paused': null } } })
  await clock.advance(5 * SECOND)
  expect(await assignedTo(replicas, A)).toHaveLength(40)
})
