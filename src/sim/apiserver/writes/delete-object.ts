import type { ApiObject } from '../api-object.ts'
import { withMeta } from '../api-object.ts'
import type { Core } from '../core.ts'
import { stamp } from '../core.ts'
import type { Json, JsonObject } from '../json.ts'
import { objectAt, textAt } from '../json.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { conflict } from '../status-error.ts'
import { Entry } from '../storage/entry.ts'

export interface Deletion {
  readonly type: ResourceType
  /** A DeleteOptions object: gracePeriodSeconds and preconditions are obeyed. */
  readonly options: JsonObject
  readonly dryRun: boolean
}

/**
 * Deletes at once, or marks for deletion: pods on a node wait for its kubelet, objects with finalizers for those.
 * @throws {StatusError} 409 when a precondition does not hold
 */
export function deleteObject(core: Core, entry: Entry, { type, options, dryRun }: Deletion): { entry: Entry; gone: boolean } {
  checkPreconditions(entry.object, objectAt(options, 'preconditions'), type)
  const grace = gracePeriod(entry.object, type, options.gracePeriodSeconds)
  const waits = grace > 0 || type.rules.onDelete !== undefined || (entry.object.metadata.finalizers ?? []).length > 0
  if (dryRun) return { entry, gone: !waits }
  if (!waits) {
    core.store.remove(type.collection, entry.key)
    return {
      entry: type.kind === 'Pod' ? new Entry(marked(entry.object, { grace, now: core.now() }), entry.revision) : entry,
      gone: true,
    }
  }
  const { deletionTimestamp, deletionGracePeriodSeconds } = entry.object.metadata
  const isGoing = deletionTimestamp !== undefined && (deletionGracePeriodSeconds ?? 0) <= grace
  if (isGoing) return { entry, gone: false }
  const going = marked(entry.object, { grace, now: core.now() })
  return { entry: core.store.put(type.collection, type.rules.onDelete?.(going) ?? going), gone: false }
}

function checkPreconditions(object: ApiObject, { uid, resourceVersion }: JsonObject, type: ResourceType): void {
  const { name = '', ...metadata } = object.metadata
  const subject = { group: '', plural: type.kind, kind: type.kind }
  if (uid !== undefined && uid !== metadata.uid)
    throw conflict(subject, name, mismatch('UID', { given: uid, own: metadata.uid, otherwise: 'deleted and then recreated' }))
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
    throw conflict(
      subject,
      name,
      mismatch('ResourceVersion', { given: resourceVersion, own: metadata.resourceVersion, otherwise: 'modified' }),
    )
}

function mismatch(what: string, { given, own, otherwise }: { given: Json; own: string | undefined; otherwise: string }): string {
  return `the ${what} in the precondition (${String(given)}) does not match the ${what} in record (${own}). The object might have been ${otherwise}`
}

/** Seconds; only pods that run somewhere have one. */
function gracePeriod(object: ApiObject, type: ResourceType, asked: unknown): number {
  if (type.kind !== 'Pod') return 0
  const spec = objectAt(object, 'spec')
  const phase = textAt(objectAt(object, 'status'), 'phase')
  if (!spec.nodeName || phase === 'Succeeded' || phase === 'Failed') return 0
  return typeof asked === 'number' ? Math.max(0, asked) : Number(spec.terminationGracePeriodSeconds ?? 30)
}

function marked(object: ApiObject, { grace, now }: { grace: number; now: number }): ApiObject {
  const { generation } = object.metadata
  return withMeta(object, {
    deletionTimestamp: stamp(now + grace * 1000),
    deletionGracePeriodSeconds: grace,
    ...(generation === undefined || object.metadata.deletionTimestamp ? {} : { generation: generation + 1 }),
  })
}
