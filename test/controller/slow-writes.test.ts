import { expect, test } from 'vitest'
import type { KubeApi } from '../../src/kube/kube-api.ts'
import { aFleet } from './a-fleet.ts'
import { Replicas } from './replicas.ts'
import { assignedRevision, NODES } from './stage.ts'

const A = 'a'.repeat(40)

/** A client whose first patch of a Node arrives so many milliseconds later; says of which Node that was. */
function slowAtFirst(
  { kube, clock }: Replicas,
  takes: number,
): { readonly kube: KubeApi; readonly slow: () => string | undefined } {
  let slow: string | undefined
  const patch: KubeApi['patch'] = async (path, ...rest) => {
    if (path.startsWith(`${NODES}/`) && slow === undefined) {
      slow = path.slice(NODES.length + 1)
      await clock.sleep(takes)
    }
    return kube.patch(path, ...rest)
  }
  return { kube: { ...kube, patch }, slow: () => slow }
}

async function notAssigned(replicas: Replicas): Promise<(string | undefined)[]> {
  const nodes = await replicas.list(NODES)
  return nodes.filter((node) => assignedRevision(node) !== A).map(({ metadata }) => metadata.name)
}

test('a write that takes 1.5 s delays no other node of its pool', async () => {
  await using replicas = await Replicas.create({ nodes: 8 })
  const { kube, slow } = slowAtFirst(replicas, 1_500)
  await replicas.start('first', { kube })
  replicas.startAgents()
  replicas.push('a', aFleet({ rollout: 'maxUnavailable: 2' }))
  for (let step = 0; step < 9; step += 1) await replicas.clock.advance(100)
  const soon = await notAssigned(replicas)
  await replicas.clock.advance(1_500)
  expect(soon).toEqual([slow()])
  expect(await notAssigned(replicas)).toEqual([])
})
