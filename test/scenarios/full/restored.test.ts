import { expect, test } from 'vitest'
import { parseAgentStatus } from '../../../src/protocol/agent-status.ts'
import { parseDesiredConfig } from '../../../src/protocol/desired-config.ts'
import { Random } from '../random.ts'
import { drawPoolRules } from './commits.ts'
import { expectEverybodyAt, pushToAll } from './settle.ts'
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
