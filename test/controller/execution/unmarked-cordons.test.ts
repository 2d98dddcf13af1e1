import { expect, test } from 'vitest'
import { type ClusterNode, projectNode } from '../../../src/controller/cache/cluster-node.ts'
import { ObjectCache } from '../../../src/controller/cache/object-cache.ts'
import { UnmarkedCordons } from '../../../src/controller/execution/unmarked-cordons.ts'
import { namesFor } from '../../../src/protocol/names.ts'
import { FakeKube, refusal } from '../fake-kube.ts'

const PATH = '/api/v1/nodes/n0'

/** A cordoned node, and that it could not be uncordoned when the mark was lost. */
async function aNodeLeft() {
  const kube = new FakeKube()
  const [names, nodes] = [namesFor(), new ObjectCache<ClusterNode>(() => undefined)]
  const readNode = projectNode(names)
  const show = (uid: string, spec: object = { unschedulable: true }) =>
    nodes.observe({ type: 'sync', items: [readNode(kube.put(PATH, { metadata: { name: 'n0', uid }, spec }))] })
  show('first')
  const cordons = new UnmarkedCordons({ kube, log: () => undefined, settings: { names }, cluster: { nodes, readNode } })
  kube.failures.push({ on: `PATCH ${PATH}`, error: refusal(503, 'ServiceUnavailable') })
  await cordons.lift({ name: 'n0', uid: 'first' })
  return { kube, cordons, show }
}

test('a cordon that could not be lifted is lifted later, and no more after that', async () => {
  const { kube, cordons } = await aNodeLeft()
  const [left] = cordons.left()
  if (left) await cordons.liftLeft(left)
  expect(kube.objects.get(PATH)).toMatchObject({ spec: {} })
  expect(cordons.left()).toEqual([])
})

test.each([
  ['was uncordoned', 'first', {}],
  ['was made again, and somebody else has cordoned it', 'second', { unschedulable: true }],
])('a cordon that could not be lifted stays as it is when its node %s', async (_, uid, spec) => {
  const { cordons, show } = await aNodeLeft()
  show(uid, spec)
  expect(cordons.left()).toEqual([])
})
