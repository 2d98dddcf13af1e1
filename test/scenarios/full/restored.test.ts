import { expect, test } from 'vitest'
import { parseAgentStatus } from '../../../src/protocol/agent-status.ts'
import { parseDesiredConfig } from '../../../src/protocol/desired-config.ts'
import type { NodePoolStatus } from '../../../src/protocol/node-pool.ts'
import { Random } from '../random.ts'
import { desiredOf } from './assignment.ts'
import { drawPoolRules } from './commits.ts'
import { expectEverybodyAt, pushToAll, until } from './settle.ts'
import { World } from './world.ts'

const DAY = 86_400_000
const NODES = '/api/v1/nodes'

type Annotations = Readonly<Record<string, string>>

async function aWorld(seed: number): Promise<World> {
  const random = new Random(seed)
  const world = await World.create({ random, outcomes: ['good'] }, [drawPoolRules('workers', random)])
  for (const index of [0, 1, 2]) await world.join(`n${index}`, 'workers')
  world.startControllers()
  await changeAll(world, 'first')
  return world
}

function changeAll(world: World, name: string): Promise<void> {
  return expectEverybodyAt(pushToAll(world, { name, outcome: 'good' }), world)
}

function annotationsIn(world: World): ReadonlyMap<string, Annotations> {
  return new Map(world.nodes().map(({ metadata }) => [metadata.name, metadata.annotations ?? {}]))
}

/** What stands on Nodes is that of before; what came since is gone. */
async function restore(world: World, backup: ReadonlyMap<string, Annotations>): Promise<void> {
  for (const { metadata } of world.nodes()) {
    const gone = Object.fromEntries(Object.keys(metadata.annotations ?? {}).map((key) => [key, null]))
    await world.kube.patch(`${NODES}/${metadata.name}`, { metadata: { annotations: { ...gone, ...backup.get(metadata.name) } } })
  }
}

function counters(world: World) {
  return world.nodes().map(({ metadata: { annotations = {} } }) => ({
    assigned: parseDesiredConfig(annotations['nodewave.io/desired-config'] ?? '{}').COUNTER ?? 0,
    accepted: parseAgentStatus(annotations['nodewave.io/status'])?.counter,
  }))
}

test.each([
  ['30 days', 30 * DAY],
  ['10 years', 3660 * DAY],
])('a fleet follows commits again after all clocks were %s ahead, though what was assigned then is lost', async (_, ahead) => {
  const world = await aWorld(7)
  try {
    const backup = annotationsIn(world)
    world.clock.jump(ahead)
    await changeAll(world, 'future')
    world.clock.jump(-ahead)
    await restore(world, backup)
    await changeAll(world, 'present')
    const found = counters(world)
    expect(found.every(({ assigned, accepted }) => assigned === accepted && assigned > world.clock.now() + ahead / 2)).toBe(true)
    await changeAll(world, 'after')
  } finally {
    world.end()
  }
})

test('a commit that an agent refuses because its counter was lost fails on no node, and is assigned again', async () => {
  const world = await aWorld(7)
  const machines = [...world.machines.values()]
  const results = () =>
    (world.pool('workers')?.status as Partial<NodePoolStatus> | undefined)?.history?.map(({ result }) => result)
  try {
    const backup = annotationsIn(world)
    world.clock.jump(30 * DAY)
    await changeAll(world, 'future')
    world.clock.jump(-30 * DAY)
    for (const machine of machines) machine.killAgent()
    await restore(world, backup)
    const commit = pushToAll(world, { name: 'present', outcome: 'good' })
    await until(world, 'a node is assigned the commit', () => world.nodes().some((node) => desiredOf(node)?.REVISION === commit))
    for (const machine of machines) machine.startAgent()
    await expectEverybodyAt(commit, world)
    expect(results()?.filter((result) => result !== 'Completed')).toEqual([])
  } finally {
    world.end()
  }
})

/** As a backup tool puts a Node back: another object, with everything that stood on the one before. */
async function makeAgain(world: World, name: string): Promise<void> {
  const before = world.nodes().find(({ metadata }) => metadata.name === name)
  const { labels, annotations } = before?.metadata ?? {}
  await world.kube.delete(`${NODES}/${name}`)
  await world.kube.create(NODES, { metadata: { name, labels, annotations }, status: before?.status })
  await world.kube.patch(`${NODES}/${name}`, { spec: { taints: null } })
}

test('a Node that is made again with all annotations is as one whose agent has not reported, and current when that has', async () => {
  const world = await aWorld(7)
  const current = () => (world.pool('workers')?.status as Partial<NodePoolStatus> | undefined)?.nodes?.current
  try {
    world.machines.get('n0')?.killAgent()
    await makeAgain(world, 'n0')
    await world.clock.advance(10_000)
    expect(current()).toBe(2)
    world.machines.get('n0')?.startAgent()
    await until(world, 'n0 is current again', () => current() === 3)
    await changeAll(world, 'next')
  } finally {
    world.end()
  }
})
