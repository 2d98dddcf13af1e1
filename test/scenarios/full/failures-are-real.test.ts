import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/kube/kube-api.ts'
import { Random } from '../random.ts'
import { drawPoolRules, type Outcome } from './commits.ts'
import { failuresAreReal } from './invariants/failures-are-real.ts'
import { World } from './world.ts'

/** Whether the claim holds when the status of the pool says that so many nodes failed at a content. */
async function holds(outcome: Outcome, failures: number): Promise<boolean> {
  const pool = drawPoolRules('workers', new Random(1))
  const world = await World.create({ random: new Random(1), outcomes: ['good'] }, [pool])
  const revision = world.push(new Map([[pool, { name: 'c', outcome }]]))
  const history = [{ revision, fingerprint: 'c', startedAt: '2026-11-21T08:00:00.000Z', result: 'Running', failures }]
  const object: KubeObject = { metadata: { name: 'workers' }, status: { history } }
  return failuresAreReal.holds(object, world)
}

test('the claim falls when another node counts as failed beside the one that is too slow', async () => {
  expect(await holds('slow', 1)).toBe(true)
  expect(await holds('slow', 2)).toBe(false)
})

test('the claim holds when as many nodes fail at content that takes them down', async () => {
  expect(await holds('crash', 2)).toBe(true)
})
