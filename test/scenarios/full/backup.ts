import type { ApiObject } from '../../../src/sim/apiserver/api-object.ts'
import { objectKey } from '../../../src/sim/apiserver/api-object.ts'
import type { World } from './world.ts'

/** What etcd held at some time. */
export interface Backup {
  /** By collection. */
  readonly objects: ReadonlyMap<string, readonly ApiObject[]>
  readonly cordonedByPeople: readonly string[]
}

/** Their kubelets and controllers write them again at once. */
const WRITTEN_AGAIN = new Set(['pods', 'poddisruptionbudgets.policy', 'nodes'])

/** Some nodes are not Ready at that moment, and are again by the next one. */
export function takeBackup({ store, cordonedByPeople, random, clock }: World): Backup {
  const objects = new Map(store.names().map((name) => [name, store.list(name)]))
  const nodes = objects.get('nodes') ?? []
  objects.set(
    'nodes',
    nodes.map((node) => (random.chance(0.25) ? notReady(node, clock.now()) : node)),
  )
  return { objects, cordonedByPeople: [...cordonedByPeople] }
}

function notReady(node: ApiObject, now: number): ApiObject {
  const condition = { type: 'Ready', status: 'False', lastTransitionTime: new Date(now).toISOString() }
  return { ...node, status: { ...(node.status as object), conditions: [condition] } }
}

/**
 * Etcd is as it was then; machines are as they are. Those that joined since register again. What is under way is known to nobody any more, and
 * what a commit was tried on is forgotten.
 */
export function restoreBackup({ objects: backup, cordonedByPeople }: Backup, world: World): void {
  world.isRestoring = true
  for (const [name, objects] of backup) if (!WRITTEN_AGAIN.has(name)) restoreCollection(name, { objects, world })
  const nodes = new Map(backup.get('nodes')?.map((node) => [objectKey(node), node]))
  world.cordonedByPeople.clear()
  for (const name of cordonedByPeople) if (world.machines.has(name)) world.cordonedByPeople.add(name)
  for (const trouble of world.troubles()) trouble.restores += 1
  for (const node of world.store.list('nodes')) restoreNode(node, { before: nodes.get(objectKey(node)), world })
  world.disturbed.clear()
  for (const { nodes } of world.exposed.values()) nodes.clear()
  world.isRestoring = false
}

function restoreCollection(
  name: string,
  { objects, world: { store } }: { readonly objects: readonly ApiObject[]; readonly world: World },
): void {
  const kept = new Set(objects.map(objectKey))
  for (const object of store.list(name)) if (!kept.has(objectKey(object))) store.remove(name, objectKey(object))
  for (const object of objects) store.put(name, object)
}

/** Its kubelet knows nothing of that, and says how it is only when it is due to report. */
function restoreNode(
  node: ApiObject,
  { before, world }: { readonly before: ApiObject | undefined; readonly world: World },
): void {
  const { store } = world
  store.put('nodes', before ?? registeredAgain(node, world))
  if (before) void reportAgain(node, { before, world })
}

/** Milliseconds. A kubelet writes what has not changed every 5 minutes, or half as long again. */
const SILENT_FOR = [300_000, 375_000, 450_000]

/** Unless something else was reported of it meanwhile. */
async function reportAgain(
  { status }: ApiObject,
  { before, world: { clock, random, store } }: { readonly before: ApiObject; readonly world: World },
): Promise<void> {
  await clock.sleep(random.pick(SILENT_FOR))
  const node = store.get('nodes', objectKey(before))
  if (node && node.status === before.status) store.put('nodes', { ...node, status })
}

function registeredAgain(node: ApiObject, { clock, store }: World): ApiObject {
  const { name = '', labels = {} } = node.metadata
  const creationTimestamp = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`
  return { ...node, metadata: { name, labels, uid: `${name}-${store.revision}`, creationTimestamp }, spec: {} }
}
