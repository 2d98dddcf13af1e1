import { expect, test } from 'vitest'
import { type KubeApi, KubeError } from '../../src/kube/kube-api.ts'
import { aFleet } from './a-fleet.ts'
import { Replicas } from './replicas.ts'
import { MINUTE, readiness } from './some-faults.ts'
import { NODES } from './stage.ts'

test('a pool is Ready when writes to a node arrived, and their answers were lost in each rollout', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  replicas.startAgents()
  const patch: KubeApi['patch'] = async (path, body, options) => {
    const answer = await replicas.kube.patch(path, body, options)
    if (path === `${NODES}/n0`) throw new KubeError('timeout', { code: 504, reason: 'Timeout' })
    return answer as never
  }
  await replicas.start('first', { kube: { ...replicas.kube, patch } })
  for (const [index, digit] of ['a', 'b', 'c', 'd'].entries()) {
    replicas.push(digit, aFleet({ v: 3 + index }))
    await replicas.clock.advance(10 * MINUTE)
  }

  expect(await readiness(replicas)).toBe('True Completed')
})

test('a pool is Ready when a write to a node was lost twice, and arrived without an answer at the third try', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  replicas.startAgents()
  let tries = 0
  const patch: KubeApi['patch'] = async (path, body, options) => {
    if (path !== `${NODES}/n0` || !JSON.stringify(body).includes('desired-config'))
      return replicas.kube.patch(path, body, options)
    tries += 1
    if (tries > 2) await replicas.kube.patch(path, body, options)
    throw new KubeError('timeout', { code: 504, reason: 'Timeout' })
  }
  await replicas.start('first', { kube: { ...replicas.kube, patch } })
  replicas.push('a', aFleet())
  await replicas.clock.advance(10 * MINUTE)

  expect(tries).toBe(3)
  expect(await readiness(replicas)).toBe('True Completed')
})
