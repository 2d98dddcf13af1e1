import { expect, test } from 'vitest'
import { aFleet } from './a-fleet.ts'
import { Replicas } from './replicas.ts'
import { MINUTE, readiness } from './some-faults.ts'
import { POOLS } from './stage.ts'

test('a controller that starts with another --path rolls out what the same commit has there, and keeps that', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  const first = await replicas.start('first')
  replicas.push('a', aFleet({ v: 2 }))
  await replicas.clock.advance(MINUTE)
  await first.stop()
  const second = await replicas.start('second')
  replicas.push('a', aFleet({ v: 4 }))
  await replicas.clock.advance(MINUTE)
  expect([await flagsOf(replicas), await readiness(replicas)]).toEqual([{ v: 4 }, 'True Completed'])
  await second.stop()
  replicas.source.loseContact()
  await replicas.start('third')
  await replicas.clock.advance(MINUTE)
  expect(await flagsOf(replicas)).toEqual({ v: 4 })
})

test('a commit that was kept is not written again when a controller starts', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  const first = await replicas.start('first')
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  await first.stop()
  const second = await replicas.start('second')
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  expect(second.requests.filter((request) => /^(POST|PUT|PATCH|DELETE) .*nodewave-revisions/.test(request))).toEqual([])
})

async function flagsOf(replicas: Replicas): Promise<unknown> {
  const [pool] = await replicas.list(POOLS)
  return (pool as unknown as { spec: { kubelet: { flags: unknown } } }).spec.kubelet.flags
}
