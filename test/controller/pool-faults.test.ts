import { expect, test } from 'vitest'
import type { KubeApi } from '../../src/kube/kube-api.ts'
import { aFleet } from './a-fleet.ts'
import { refusal } from './fake-kube.ts'
import { startWithRefusedStatuses } from './refused-statuses.ts'
import { Replicas } from './replicas.ts'
import { MINUTE, readiness, refusals, SECOND, SPARE } from './some-faults.ts'
import { POOLS, readyOf } from './stage.ts'

test('a NodePool that the server refuses to create is asked for again no sooner than what else it refuses, and an event says why', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  let asked = 0
  let isRefused = true
  const create: KubeApi['create'] = async (path, body, options) => {
    if (path !== POOLS) return replicas.kube.create(path, body, options)
    asked += 1
    if (isRefused) throw refusal(403, 'Forbidden')
    return replicas.kube.create(path, body, options)
  }
  await replicas.start('first', { kube: { ...replicas.kube, create } })
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  expect(asked).toBe(3)
  expect(await refusals(replicas)).toEqual(['ActionRefused'])
  isRefused = false
  await replicas.clock.advance(MINUTE)
  expect(await readiness(replicas)).toBe('True Completed')
})

test.each<readonly [verb: 'create' | 'replace' | 'patch' | 'delete']>([['create'], ['replace'], ['patch'], ['delete']])(
  'a NodePool for which the server tells of a conflict though it is as it was is written again later, and an event says so: %s',
  async (verb) => {
    await using replicas = await Replicas.create({ nodes: 1 })
    replicas.startAgents()
    const [found, send] = [
      { asked: 0, isRefused: verb === 'create' },
      replicas.kube[verb] as (...of: unknown[]) => Promise<unknown>,
    ]
    const refusing = async (path: string, ...rest: readonly unknown[]): Promise<unknown> => {
      if (!found.isRefused || !path.startsWith(POOLS)) return send(path, ...rest)
      found.asked += 1
      throw refusal(409, 'Conflict')
    }
    await replicas.start('first', { kube: { ...replicas.kube, [verb]: refusing } as KubeApi })
    replicas.push('a', aFleet({ more: SPARE }))
    await replicas.clock.advance(MINUTE)
    found.isRefused = true
    replicas.push('b', aFleet({ v: 4 }))
    await replicas.clock.advance(MINUTE)
    expect(found.asked).toBeLessThan(45)
    expect(await refusals(replicas)).toContain('ActionRefused')
    found.isRefused = false
    await replicas.clock.advance(MINUTE)
    expect((await replicas.list(POOLS)).map((pool) => [pool.metadata.name, readyOf(pool)])).toEqual([
      ['workers', 'True Completed'],
    ])
  },
)

test('a NodePool whose status the server refuses is created again at once when somebody deletes it', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  const takeAgain = await startWithRefusedStatuses(replicas)
  takeAgain()
  await replicas.kube.delete(`${POOLS}/workers`)
  await replicas.clock.advance(SECOND)
  expect(await readiness(replicas)).toBe('False RollingOut')
})
