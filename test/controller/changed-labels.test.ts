import { expect, test } from 'vitest'
import { parseDesiredConfig } from '../../src/protocol/desired-config.ts'
import { aFleet } from './a-fleet.ts'
import type { Outcome } from './fake-agents.ts'
import { Replicas } from './replicas.ts'
import { NODES, POOLS, readyOf } from './stage.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

const files = Object.fromEntries(
  Object.entries(
    aFleet({
      rollout: 'maxUnavailable: 1, applyTimeout: 5m, waves: [{name: canary, nodes: 1, soak: 5m}, {name: rest, nodes: 100%}]',
    }),
  ).map(([path, text]) => [path, text.replace('{v: 2}', '{v: "{{ node.labels.level }}"}')]),
)

const fixed = Object.fromEntries(Object.entries(files).map(([path, text]) => [path, text.replace('level }}', 'level }}0')]))

async function label(replicas: Replicas, level: string): Promise<void> {
  for (const { metadata } of await replicas.list(NODES))
    await replicas.kube.patch(`${NODES}/${metadata.name}`, { metadata: { labels: { level } } })
}

async function assignedOpts(replicas: Replicas): Promise<(string | undefined)[]> {
  return (await replicas.list(NODES)).map(({ metadata: { annotations = {} } }) => {
    const desired = annotations['nodewave.io/desired-config']
    return desired && parseDesiredConfig(desired).KUBELET_OPTS
  })
}

/** Six nodes that have completed the first commit. */
async function sixNodes(outcome: (opts: string | undefined) => Outcome): Promise<Replicas> {
  const replicas = await Replicas.create({ nodes: 6 })
  await label(replicas, '2')
  await replicas.start('first')
  replicas.startAgents({ takes: 20 * SECOND, outcome: (_, { KUBELET_OPTS }) => outcome(KUBELET_OPTS) })
  replicas.push('a', files)
  await replicas.clock.advance(20 * MINUTE)
  expect(await assignedOpts(replicas)).toEqual(Array(6).fill('--v=2'))
  return replicas
}

test('labels whose content fails reach one node of a pool that has completed, until they are changed back', async () => {
  await using replicas = await sixNodes((opts) => (opts === '--v=9' ? 'rolls back' : 'applies'))
  await label(replicas, '9')
  await replicas.clock.advance(30 * MINUTE)
  expect((await assignedOpts(replicas)).filter((opts) => opts === '--v=9')).toHaveLength(1)
  const [pool] = await replicas.list(POOLS)
  expect(readyOf(pool)).toBe('False NodesFailed')
  expect(JSON.stringify(pool?.status)).toContain('1 failed after aaaaaaa had completed, more than maxFailures tolerates')
  await label(replicas, '2')
  await replicas.clock.advance(5 * MINUTE)
  expect(await assignedOpts(replicas)).toEqual(Array(6).fill('--v=2'))
  expect(readyOf((await replicas.list(POOLS))[0])).toBe('True Completed')
})

test('a commit that mends what failed after completion goes to all nodes, canary first', async () => {
  await using replicas = await sixNodes((opts) => (opts === '--v=9' ? 'rolls back' : 'applies'))
  await label(replicas, '9')
  await replicas.clock.advance(10 * MINUTE)
  replicas.push('b', fixed)
  await replicas.clock.advance(20 * MINUTE)
  expect(await assignedOpts(replicas)).toEqual(Array(6).fill('--v=90'))
  expect(readyOf((await replicas.list(POOLS))[0])).toBe('True Completed')
})
