import { expect, test } from 'vitest'
import type { KubeApi } from '../../src/kube/kube-api.ts'
import { aFleet } from './a-fleet.ts'
import { STATUS, statusOf } from './late-nodes.ts'
import { Pause } from './pausable.ts'
import { Replicas } from './replicas.ts'
import { NODES, POOLS } from './stage.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

/** The requests of one controller, whose watch of nodes may fall behind while all else arrives. */
function lateNodes({ kube }: Replicas, pause: Pause): KubeApi {
  return {
    ...kube,
    async *follow(path, options) {
      for await (const event of kube.follow(path, options)) {
        if (path === NODES) await pause.over()
        yield event
      }
    },
  }
}

async function failuresOf(replicas: Replicas): Promise<number> {
  const { status } = await replicas.get(`${POOLS}/workers`)
  return Object(status).history[0].failures ?? 0
}

async function hold({ kube }: Replicas, node: string, reason: string | null): Promise<void> {
  await kube.patch(`${NODES}/${node}`, { metadata: { annotations: { 'nodewave.io/hold': reason } } })
}

/** The nodes get the commit at 0 s, 5 s and 25 s, and have 60 s for it. */
test('work that its node has ended in time counts as no failure soon after another node failed, though the watch of nodes is behind', async () => {
  await using replicas = await Replicas.create({ nodes: 3 })
  const { clock, kube } = replicas
  const pause = new Pause()
  let isSlow = false
  replicas.startAgents({ outcome: () => (isSlow ? 'works on' : 'applies') })
  await replicas.start('first', { kube: lateNodes(replicas, pause) })
  replicas.push('a', aFleet({ rollout: 'proof: {pod: {mode: Never}}' }))
  await clock.advance(10 * MINUTE)
  isSlow = true
  for (const node of ['n1', 'n2']) await hold(replicas, node, 'later')
  replicas.push(
    'b',
    aFleet({ v: 4, rollout: 'maxUnavailable: 3, maxFailures: 3, applyTimeout: 60s, proof: {pod: {mode: Never}}' }),
  )
  await clock.advance(5 * SECOND)
  await hold(replicas, 'n1', null)
  await clock.advance(20 * SECOND)
  await hold(replicas, 'n2', null)
  await clock.advance(5 * SECOND)
  pause.begin()
  await clock.runUntil(async () => (await failuresOf(replicas)) === 1, { within: MINUTE })
  const said = statusOf(await replicas.get(`${NODES}/n1`))
  const text = JSON.stringify({ ...said, phase: 'Applied', active: said.digest })
  await kube.patch(`${NODES}/n1`, { metadata: { annotations: { [STATUS]: text } } })
  await clock.advance(10 * SECOND)
  expect(await failuresOf(replicas)).toBe(1)
})
