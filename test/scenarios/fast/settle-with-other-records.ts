import { expect } from 'vitest'
import type { Random } from '../random.ts'
import { type Backup, takeBackup } from './backup.ts'
import { fingerprintOf } from './content.ts'
import { BAD_EFFECTS } from './effect.ts'
import { restoreStatus, statusChanges } from './faults/records-change.ts'
import type { Fault } from './faults.ts'
import { assigned, expectAllStopped, expectEveryoneAt, pushToAll, recover, rest } from './settle.ts'
import type { World } from './world.ts'

const CHANGES = 3

/**
 * The faults cease. A good commit must reach everybody. A bad one must be stopped, also when statuses from before it are restored amid its
 * rollout, and stay so when statuses are changed, as long as it is noted beside them that it failed. The next good one must reach everybody
 * again.
 */
export function settleWithOtherRecords(world: World, random: Random): void {
  recover(world)
  pushToAll(world, { content: 'last', effect: 'good', random })
  expectEveryoneAt('last', world, random)
  const before = takeBackup(world)
  const effect = random.pick(BAD_EFFECTS)
  pushToAll(world, { content: 'bad', effect, random })
  expectAllStopped(effect, world, random, statusesReturn(before))
  for (let change = 0; change < CHANGES; change++) expectNoOtherVictims(world, random)
  pushToAll(world, { content: 'next', effect: 'good', random })
  expectEveryoneAt('next', world, random)
}

/** So often the status of a pool is restored from this backup. */
function statusesReturn(backup: Backup): Fault {
  let left = CHANGES
  return (world, random) => {
    if (random.chance(0.8) || left === 0) return
    left -= 1
    restoreStatus(random.pick([...world.pools.values()]), backup, world)
  }
}

function expectNoOtherVictims(world: World, random: Random): void {
  const noted = [...world.pools.keys()].filter((pool) => world.notes?.has(pool, fingerprintOf('bad')))
  const before = assigned('bad', world)
  statusChanges(world, random)
  rest(world, random)
  const others = assigned('bad', world).filter((name) => !before.includes(name))
  expect(others.filter((name) => noted.includes(world.nodes.get(name)?.pool ?? ''))).toEqual([])
}
