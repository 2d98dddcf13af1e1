import { expect, test } from 'vitest'
import { type KubeApi, KubeError, type KubeObject } from '../../src/kube/kube-api.ts'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import type { NodePoolStatus } from '../../src/protocol/node-pool.ts'
import { aStage, assignedRevision, conditionOf, NODES, POOLS, readyOf, type Stage } from './stage.ts'
import { twoPools } from './two-pools.ts'

const A = 'a'.repeat(40)
const B = 'b'.repeat(40)

test('a pool that waits for a completion which the server refuses to write does all else, and says so, when a node joins', async () => {
  await using stage = await aStage()
  await stage.addNodes(1)
  const canary = stage.aNode('c0') as KubeObject
  await stage.kube.create(NODES, { ...canary, metadata: { ...canary.metadata, labels: { role: 'canary' } } })
  stage.startAgents()
  stage.push('a', twoPools(2))
  stage.startController({ kube: refusing(stage) })
  await stage.until(POOLS, (found) => ['first', 'workers'].every((name) => readyOf(found.get(name)) === 'True Completed'))
  stage.push('b', twoPools(4))
  await stage.logged((line) => line.includes('write pool first: no completions here'))
  await stage.kube.create(NODES, stage.aNode('n1'))
  const nodes = await stage.until(NODES, (found) => assignedRevision(found.get('n1')) !== undefined)
  const waiting = (message = '') => message.includes('cannot be written')
  const pools = await stage.until(POOLS, (found) => waiting(conditionOf(found.get('workers'), 'Reconciling')?.message))

  expect(['c0', 'n0', 'n1'].map((name) => assignedRevision(nodes.get(name)))).toEqual([B, A, A])
  expect(conditionOf(pools.get('workers'), 'Reconciling')?.message).toContain(
    'bbbbbbb waits for "first", whose status cannot be written: no completions here',
  )
})

/** The server refuses the status that says of a pool that it has completed the second commit. */
function refusing(stage: Stage): KubeApi {
  const kube = createKubeClient({ server: stage.server.url, credentials: async () => ({}) })
  const replace: KubeApi['replace'] = async (path, body, options) => {
    const { status } = body as { readonly status?: NodePoolStatus }
    if (status?.stable?.revision === B) throw new KubeError('no completions here', { code: 403, reason: 'Forbidden' })
    return kube.replace(path, body, options)
  }
  return { ...kube, replace }
}
