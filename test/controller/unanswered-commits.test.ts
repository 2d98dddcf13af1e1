import { expect, test } from 'vitest'
import { type KubeApi, KubeError } from '../../src/kube/kube-api.ts'
import { aFleet } from './a-fleet.ts'
import { Replicas } from './replicas.ts'
import { atRevision, B, MINUTE, readiness, SECOND } from './some-faults.ts'

const MAPS = '/api/v1/namespaces/nodewave-revisions/configmaps'
const C = 'c'.repeat(40)

test.each([
  [0, 'Unreachable'],
  [429, 'TooManyRequests'],
  [504, 'Timeout'],
])('pools go on with their commit while the API server answers each write of the next one with %s', async (code, reason) => {
  await using replicas = await Replicas.create({ nodes: 4 })
  replicas.startAgents({ takes: 20 * SECOND })
  let isUnanswered = false
  const create: KubeApi['create'] = async (path, ...rest) => {
    if (isUnanswered && path === MAPS) throw new KubeError('no answer', { code, reason })
    return replicas.kube.create(path, ...rest)
  }
  await replicas.start('first', { kube: { ...replicas.kube, create } })
  replicas.push('a', aFleet({ rollout: 'maxUnavailable: 1' }))
  await replicas.clock.advance(5 * MINUTE)
  replicas.push('b', aFleet({ v: 4, rollout: 'maxUnavailable: 1' }))
  await replicas.clock.advance(30 * SECOND)
  isUnanswered = true
  replicas.push('c', aFleet({ v: 6, rollout: 'maxUnavailable: 1' }))
  await replicas.clock.advance(5 * MINUTE)
  expect(await atRevision(replicas, B)).toEqual(['n0', 'n1', 'n2', 'n3'])
  expect(await readiness(replicas)).toBe('False InvalidRepository')
  isUnanswered = false
  await replicas.clock.advance(5 * MINUTE)
  expect(await atRevision(replicas, C)).toEqual(['n0', 'n1', 'n2', 'n3'])
})

test('a new leader goes on with the newest accepted commit when the write of one before it had no answer, and arrives after it', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  replicas.startAgents()
  let late: (() => Promise<unknown>) | undefined
  const create: KubeApi['create'] = async (path, body, options) => {
    if (!JSON.stringify(body).includes(B)) return replicas.kube.create(path, body, options)
    late ??= () => replicas.kube.create(path, body, options)
    throw new KubeError('no answer', { code: 0, reason: 'Unreachable' })
  }
  const first = await replicas.start('first', { kube: { ...replicas.kube, create } })
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  replicas.push('b', aFleet({ v: 4 }))
  await replicas.clock.advance(5 * SECOND)
  replicas.push('c', aFleet({ v: 6 }))
  await replicas.clock.advance(MINUTE)
  await late?.()
  await first.stop()
  replicas.source.loseContact()
  await replicas.start('second')
  await replicas.clock.advance(3 * MINUTE)
  expect(await atRevision(replicas, C)).toEqual(['n0', 'n1'])
})
