import { expect, test } from 'vitest'
import type { KubeApi } from '../../src/kube/kube-api.ts'
import { aFleet } from './a-fleet.ts'
import { Replicas } from './replicas.ts'
import { A, B, MINUTE, readiness } from './some-faults.ts'

const REVISIONS = '/api/v1/namespaces/nodewave-revisions/configmaps'

test('a note of what failed that the server does not keep on a revision is written again later, and an event says so', async () => {
  await using replicas = await Replicas.create({ nodes: 2 })
  replicas.startAgents({ outcome: (_, { REVISION }) => (REVISION === B ? 'rolls back' : 'applies') })
  let asked = 0
  const patch: KubeApi['patch'] = async (path, body, options) => {
    const { annotations = {} } = Object(body).metadata ?? {}
    if (!path.startsWith(REVISIONS) || !Object.keys(annotations).some((key) => key.startsWith('rejected.')))
      return replicas.kube.patch(path, body, options)
    asked += 1
    return replicas.kube.patch(path, { metadata: { ...Object(body).metadata, annotations: {} } }, options)
  }
  await replicas.start('first', { kube: { ...replicas.kube, patch } })
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  replicas.push('b', aFleet({ v: 4 }))
  await replicas.clock.advance(10 * MINUTE)
  expect(await readiness(replicas)).toBe('False RolledBack')
  expect(asked).toBeLessThan(100)
  const events = await replicas.list('/api/v1/namespaces/default/events')
  expect(events.find(({ reason }) => reason === 'ActionRefused')?.message).toBe(
    'the API server does not keep rejected.nodewave.io/workers of "fleet-bbbbbbbbbbbb-0" as written; correct the webhook that changes it',
  )
})

test.each(['labels', 'annotations'])(
  'a commit whose kept revision loses its %s to a webhook is not accepted, and an event says why',
  async (what) => {
    await using replicas = await Replicas.create({ nodes: 1 })
    replicas.startAgents()
    let [asked, isDropped] = [0, true]
    const create: KubeApi['create'] = async (path, body, options) => {
      if (path !== REVISIONS || !isDropped) return replicas.kube.create(path, body, options)
      asked += 1
      return replicas.kube.create(path, { ...Object(body), metadata: { ...Object(body).metadata, [what]: {} } }, options)
    }
    const patch: KubeApi['patch'] = async (path, body, options) =>
      replicas.kube.patch(path, path.startsWith(REVISIONS) && isDropped ? {} : body, options)
    await replicas.start('first', { kube: { ...replicas.kube, create, patch } })
    replicas.push('a', aFleet())
    await replicas.clock.advance(10 * MINUTE)
    expect(asked).toBeLessThan(100)
    const events = await replicas.list('/api/v1/namespaces/default/events')
    expect(events.map(({ message }) => message)).toEqual([
      `commit "${A}" cannot be stored: the API server does not keep the labels and annotations of "fleet-aaaaaaaaaaaa-0" as written; correct the webhook that changes them`,
    ])
    isDropped = false
    await replicas.clock.advance(MINUTE)
    expect(await readiness(replicas)).toBe('True Completed')
  },
)
