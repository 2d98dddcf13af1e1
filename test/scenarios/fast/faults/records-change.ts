import type { Memory } from '../../../../src/rollout/model/snapshot.ts'
import { NO_MEMORY } from '../../../../src/rollout/model/snapshot.ts'
import type { Random } from '../../random.ts'
import { type Backup, takeBackup } from '../backup.ts'
import type { Fault } from '../faults.ts'
import type { SimPool, World } from '../world.ts'
import { cordonChanges, nodesChange, restoreNode } from './node-records-change.ts'

/**
 * Velero, Argo CD, a person with kubectl or a script changes what the controller remembers in the cluster: it writes an older state over it,
 * or takes it away.
 */
export function recordsChange(world: World, random: Random): void {
  takeBackup(world)
  random.pick(CHANGES)(world, random)
}

const CHANGES: readonly Fault[] = [
  statusChanges,
  statusChanges,
  statusChanges,
  nodesChange,
  nodesChange,
  nodesChange,
  cordonChanges,
  controlsChange,
  fleetControlsChange,
  revisionsChange,
  everythingRestored,
]

/** The status of a pool is an older one, or a part of it is older or lost. */
export function statusChanges(world: World, random: Random): void {
  const pool = random.pick([...world.pools.values()])
  const older = random.pick(world.backups).statuses.get(pool.name) ?? NO_MEMORY
  const change = random.pick(STATUS_CHANGES)
  const memory = change(pool.memory, { older, random })
  writeStatus(pool, memory, world)
  world.tell(() => `the status of ${pool.name} is changed (${change.name}): ${JSON.stringify(memory)}`)
}

type StatusChange = (memory: Memory, by: { readonly older: Memory; readonly random: Random }) => Memory

const PARTS = ['history', 'rejected', 'rollback', 'observedControls', 'promotion', 'wave'] as const

const STATUS_CHANGES: readonly StatusChange[] = [
  function isOlder(_, { older }) {
    return older
  },
  function isOlder(_, { older }) {
    return older
  },
  function isLost() {
    return NO_MEMORY
  },
  function keepsConditions({ conditions }) {
    return { ...NO_MEMORY, conditions }
  },
  losesPart,
  losesPart,
]

function losesPart(memory: Memory, { random }: { readonly random: Random }): Memory {
  const { [random.pick(PARTS)]: _, ...rest } = memory
  return { ...NO_MEMORY, ...rest }
}

function writeStatus(pool: SimPool, memory: Memory, world: World): void {
  if (memory.history.length === 0) world.apps?.forget(pool.name)
  pool.memory = memory
  pool.version += 1
  world.gates.statusReplaced(pool.name, memory)
  world.given.clear()
  world.controller.toldOfPool(pool)
}

/** Annotations of a NodePool. */
function controlsChange(world: World, random: Random): void {
  const pool = random.pick([...world.pools.values()])
  const older = random.chance(0.5) ? random.pick(world.backups).controls.get(pool.name) : undefined
  world.control(pool, older ?? {})
}

/** The ConfigMap of the fleet. */
function fleetControlsChange(world: World, random: Random): void {
  world.fleetControls = random.chance(0.5) ? random.pick(world.backups).fleetControls : {}
  world.tell(`the ConfigMap of the fleet is changed: ${JSON.stringify(world.fleetControls)}`)
}

/** A revision is deleted, or comes back without its notes; or all notes are older ones. */
function revisionsChange(world: World, random: Random): void {
  const { commits, lostRevisions, notes } = world
  const lost = [...lostRevisions]
  const dice = random.next()
  if (dice < 0.3 && notes) notes.all = random.chance(0.5) ? random.pick(world.backups).notes : new Map()
  else if (dice < 0.6 && lost.length > 0) lostRevisions.delete(random.pick(lost))
  else if (commits.length > 1) loseRevision(random.pick(commits.slice(0, -1)).revision, world)
  world.tell(`revisions are changed; lost: ${[...lostRevisions].join(', ')}; notes: ${notes?.describe()}`)
}

function loseRevision(revision: string, { lostRevisions, notes }: World): void {
  lostRevisions.add(revision)
  notes?.forget(revision)
}

/** All objects that a backup has. */
function everythingRestored(world: World, random: Random): void {
  const backup = random.pick(world.backups)
  for (const pool of world.pools.values()) restorePool(pool, backup, world)
  for (const [node, shown] of backup.nodes) if (world.nodes.get(node.name) === node) restoreNode(node, shown, world)
  world.fleetControls = backup.fleetControls
  if (world.notes) world.notes.all = backup.notes
  world.tell(() => `everything is restored: ${JSON.stringify([...backup.statuses])}`)
}

function restorePool(pool: SimPool, backup: Backup, world: World): void {
  restoreStatus(pool, backup, world)
  world.control(pool, backup.controls.get(pool.name) ?? {})
}

export function restoreStatus(pool: SimPool, { statuses }: Backup, world: World): void {
  writeStatus(pool, statuses.get(pool.name) ?? NO_MEMORY, world)
  world.tell(`the status of ${pool.name} is restored`)
}
