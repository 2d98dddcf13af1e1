import { expect, test } from 'vitest'
import { type NodePoolView, nodePoolsPath, projectNodePool } from '../../../src/controller/cache/node-pool-view.ts'
import { ObjectCache } from '../../../src/controller/cache/object-cache.ts'
import { clearControl } from '../../../src/controller/execution/clear-control.ts'
import { FakeKube } from '../fake-kube.ts'

const PATH = nodePoolsPath('workers')

function aPool(annotations: Readonly<Record<string, string>>) {
  const kube = new FakeKube()
  const pools = new ObjectCache<NodePoolView>(() => undefined)
  const object = kube.put(PATH, { metadata: { name: 'workers', uid: 'u', annotations } })
  pools.observe({ type: 'sync', items: [projectNodePool(object)] })
  return { kube, pools, left: () => Object.keys(kube.objects.get(PATH)?.metadata.annotations ?? {}) }
}

test.each([
  ['retry', 'retry'],
  ['rollback', 'rollback'],
  ['promoted', 'promote'],
] as const)('the control %s is taken away with who asked for it', async (control, word) => {
  const { kube, pools, left } = aPool({ [`nodewave.io/${word}`]: 'abc', [`nodewave.io/${word}-by`]: 'ann', other: 'x' })
  await clearControl({ kube, pools } as never, { pool: 'workers', control, value: 'abc' })
  expect(left()).toEqual(['other'])
  expect(pools.get('workers')?.controls[control]).toBeUndefined()
})

test('a control that says something else by now stays', async () => {
  const { kube, pools, left } = aPool({ 'nodewave.io/retry': 'later' })
  await clearControl({ kube, pools } as never, { pool: 'workers', control: 'retry', value: 'abc' })
  expect([left(), kube.requests]).toEqual([['nodewave.io/retry'], []])
})
