import type { FleetControls } from '../../../src/rollout/decide-fleet.ts'
import type { Memory, PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import type { Notes } from './rejection-notes.ts'
import type { SimNode } from './sim-node.ts'
import type { World } from './world.ts'

/** What a tool has copied of the objects that the controller remembers by. */
export interface Backup {
  readonly statuses: ReadonlyMap<string, Memory>
  readonly controls: ReadonlyMap<string, PoolSnapshot['controls']>
  readonly nodes: ReadonlyMap<SimNode, SimNode['shown']>
  readonly fleetControls: FleetControls
  readonly notes: Notes
}

/** Older ones go. */
const KEPT = 20

export function takeBackup({ pools, nodes, fleetControls, notes, backups }: World): Backup {
  const all = [...pools.values()]
  const backup = {
    statuses: new Map(all.map(({ name, memory }) => [name, memory])),
    controls: new Map(all.map(({ name, controls }) => [name, controls])),
    nodes: new Map([...nodes.values()].map((node) => [node, node.shown])),
    fleetControls,
    notes: notes?.all ?? new Map(),
  }
  backups.push(backup)
  if (backups.length > KEPT) backups.shift()
  return backup
}
