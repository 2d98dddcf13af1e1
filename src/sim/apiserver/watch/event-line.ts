import { withMeta } from '../api-object.ts'
import { renderObject } from '../represent/render.ts'
import type { Representation } from '../represent/representation.ts'
import { formKey } from '../represent/representation.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { groupVersion } from '../resources/resource-type.ts'
import type { StoredChange } from '../storage/change.ts'
import { Entry } from '../storage/entry.ts'

export interface Viewer {
  readonly type: ResourceType
  readonly form: Representation
  readonly selects: (entry: Entry) => boolean
  readonly now: () => number
}

/** The lines of the change sent last: ten thousand watchers of one change share one line. */
let latest: { readonly change: StoredChange; readonly lines: Map<string, string> } | undefined

/**
 * The line that a change is to this viewer. An object that begins to match its selectors is ADDED, one that ceases to is
 * DELETED with its last matching state.
 * @returns undefined when it does not concern the viewer.
 */
export function eventLine(change: StoredChange, viewer: Viewer): string | undefined {
  const before = change.previous !== undefined && viewer.selects(change.previous)
  const after = change.type !== 'DELETED' && viewer.selects(change.entry)
  if (!before && !after) return undefined
  const type = !after ? 'DELETED' : before ? 'MODIFIED' : 'ADDED'
  if (latest?.change !== change) latest = { change, lines: new Map() }
  const { lines } = latest
  const key = `${type} ${formKey(viewer.form)} ${groupVersion(viewer.type)}`
  let line = lines.get(key)
  if (line === undefined) {
    line = lineOf(type, type === 'DELETED' ? lastState(change) : change.entry, viewer)
    lines.set(key, line)
  }
  return line
}

export function lineOf(type: string, entry: Entry, { form, now, type: resource }: Omit<Viewer, 'selects'>): string {
  return `{"type":"${type}","object":${renderObject(entry, form, now(), resource)}}\n`
}

function lastState({ type, entry, previous }: StoredChange): Entry {
  if (type === 'DELETED' || !previous) return entry
  return new Entry(withMeta(previous.object, { resourceVersion: String(entry.revision) }), entry.revision)
}
