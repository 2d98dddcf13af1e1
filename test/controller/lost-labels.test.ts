import { expect, test } from 'vitest'
import type { KubeApi } from '../../src/kube/kube-api.ts'
import { aFleet } from './a-fleet.ts'
import { refusal } from './fake-kube.ts'
import { Replicas } from './replicas.ts'
import { NODES } from './stage.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const LABEL = 'nodewave.io/pool'

/** A client that counts the patches which write the label of the pool alone. */
function countingLabels({ kube }: Replicas, wrote: () => Promise<unknown> = async () => undefined) {
  const found = { labels: 0 }
  const patch: KubeApi['patch'] = async (path, body, options) => {
    const { labels = {}, annotations } = Object(Object(body).metadata)
    const isLabel = path.startsWith(NODES) && LABEL in labels && annotations === undefined
    const answer = await kube.patch<never>(path, body, options)
    if (!isLabel) return answer
    found.labels += 1
    await wrote()
    return answer
  }
  return { found, kube: { ...kube, patch } }
}

async function label({ kube }: Replicas, labels: Readonly<Record<string, string | null>>): Promise<void> {
  await kube.patch(`${NODES}/n0`, { metadata: { labels } })
}

async function labelOf(replicas: Replicas): Promise<string | undefined> {
  return (await replicas.get(`${NODES}/n0`)).metadata.labels?.[LABEL]
}

test('a node that loses the label of its pool each time it is written gets it again twenty times within an hour', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  let strips = true
  const { found, kube } = countingLabels(replicas, async () => strips && label(replicas, { [LABEL]: null }))
  await replicas.start('first', { kube })
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  await label(replicas, { [LABEL]: null })
  await replicas.clock.advance(59 * MINUTE)
  expect(found.labels).toBe(20)
  strips = false
  await replicas.clock.advance(2 * MINUTE)
  expect(await labelOf(replicas)).toBe('workers')
})

test.each([0, 7, 8, 9, 20])(
  'a node whose labels have changed %i times in a few seconds gets the label of its pool again by one write',
  async (times) => {
    await using replicas = await Replicas.create({ nodes: 1 })
    replicas.startAgents()
    const { found, kube } = countingLabels(replicas)
    await replicas.start('first', { kube })
    replicas.push('a', aFleet())
    await replicas.clock.advance(MINUTE)
    for (let time = 0; time < times; time++) {
      await label(replicas, { beat: `${time}` })
      await replicas.clock.advance(0)
    }
    await label(replicas, { [LABEL]: null })
    await replicas.clock.advance(MINUTE)
    expect([found.labels, await labelOf(replicas)]).toEqual([1, 'workers'])
  },
)

test('a node gets the label of its pool as soon as the API server takes it, however often it was refused', async () => {
  await using replicas = await Replicas.create({ nodes: 1 })
  replicas.startAgents()
  let [asked, isRefused] = [0, false]
  const patch: KubeApi['patch'] = async (path, body, options) => {
    const { labels = {}, annotations } = Object(Object(body).metadata)
    if (!isRefused || !path.startsWith(NODES) || !(LABEL in labels) || annotations !== undefined)
      return replicas.kube.patch(path, body, options)
    asked += 1
    throw refusal(500, 'InternalError')
  }
  await replicas.start('first', { kube: { ...replicas.kube, patch } })
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  isRefused = true
  await label(replicas, { [LABEL]: null })
  for (let beat = 0; beat < 60; beat++) {
    await replicas.kube.patch(`${NODES}/n0`, { metadata: { annotations: { beat: `${beat}` } } })
    await replicas.clock.advance(10 * SECOND)
  }
  expect(asked).toBeLessThan(90)
  isRefused = false
  await replicas.clock.advance(MINUTE)
  expect(await labelOf(replicas)).toBe('workers')
})
