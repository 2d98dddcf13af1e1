import type { ApiObject } from '../api-object.ts'
import type { JsonObject } from '../json.ts'
import { objectAt, textAt, without } from '../json.ts'
import { humanAge } from '../represent/human-duration.ts'
import type { TableColumns } from '../represent/table-columns.ts'
import { column } from '../represent/table-columns.ts'
import { builtIn } from './built-in.ts'
import type { Rules } from './resource-type.ts'

const wide = { priority: 1 }

const columns: TableColumns = {
  definitions: [
    column('Last Seen'),
    column('Type'),
    column('Reason'),
    column('Object'),
    column('Subobject', wide),
    column('Source', wide),
    column('Message'),
    column('First Seen', wide),
    column('Count', wide),
    column('Name', { priority: 1, format: 'name' }),
  ],
  cells: (event, now) => {
    const involved = objectAt(event, 'involvedObject')
    const series = objectAt(event, 'series')
    const first = textAt(event, 'firstTimestamp') || textAt(event, 'eventTime')
    const last = textAt(series, 'lastObservedTime') || textAt(event, 'lastTimestamp') || first
    return [
      humanAge(last, now),
      textAt(event, 'type'),
      textAt(event, 'reason'),
      [textAt(involved, 'kind').toLowerCase(), textAt(involved, 'name')].filter(Boolean).join('/'),
      textAt(involved, 'fieldPath'),
      source(event),
      textAt(event, 'message').trim(),
      humanAge(first, now),
      Number(series.count ?? event.count ?? 1),
      event.metadata.name ?? '',
    ]
  },
}

const INVOLVED = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const

const fields = {
  ...Object.fromEntries(
    INVOLVED.map((key) => [`involvedObject.${key}`, (event: ApiObject) => textAt(objectAt(event, 'involvedObject'), key)]),
  ),
  reason: (event: ApiObject) => textAt(event, 'reason'),
  type: (event: ApiObject) => textAt(event, 'type'),
  reportingComponent: (event: ApiObject) => textAt(event, 'reportingComponent'),
  source: (event: ApiObject) => textAt(objectAt(event, 'source'), 'component') || textAt(event, 'reportingComponent'),
}

const rules: Rules = {
  createOnUpdate: true,
  validate: (event) => {
    const about = textAt(objectAt(event, 'involvedObject'), 'namespace') || textAt(objectAt(event, 'regarding'), 'namespace')
    const { namespace } = event.metadata
    if (about === '' ? namespace === 'default' : about === namespace) return []
    const message = `Invalid value: ${JSON.stringify(about)}: does not match event.namespace`
    return [{ reason: 'FieldValueInvalid', message, field: 'involvedObject.namespace' }]
  },
}

/** What Go writes even when nobody set it. */
const UNSET = {
  source: {},
  firstTimestamp: null,
  lastTimestamp: null,
  eventTime: null,
  reportingComponent: '',
  reportingInstance: '',
}

export const events = builtIn({
  apiVersion: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
  shortNames: ['ev'],
  columns,
  fields,
  rules: { ...rules, onCreate: (event) => ({ ...UNSET, ...event }) },
})

/** The same objects under their newer names. */
export const newEvents = builtIn({
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
  shortNames: ['ev'],
  columns,
  fields,
  rules,
  collection: 'events',
  conversion: {
    serve: (event) => ({
      ...renamed(event, CORE_TO_NEW),
      kind: 'Event',
      apiVersion: 'events.k8s.io/v1',
      metadata: event.metadata,
    }),
    keep: (event) => ({ ...UNSET, ...renamed(event, NEW_TO_CORE), kind: 'Event', apiVersion: 'v1', metadata: event.metadata }),
  },
})

const CORE_TO_NEW: Readonly<Record<string, string>> = {
  involvedObject: 'regarding',
  message: 'note',
  reportingComponent: 'reportingController',
  source: 'deprecatedSource',
  count: 'deprecatedCount',
  firstTimestamp: 'deprecatedFirstTimestamp',
  lastTimestamp: 'deprecatedLastTimestamp',
}
const NEW_TO_CORE = Object.fromEntries(Object.entries(CORE_TO_NEW).map(([core, renewed]) => [renewed, core]))

function renamed(event: ApiObject, names: Readonly<Record<string, string>>): JsonObject {
  const rest = without(event, 'kind', 'apiVersion')
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [names[key] ?? key, value]))
}

function source(event: ApiObject): string {
  const { component, host } = objectAt(event, 'source')
  if (!component) return [event.reportingComponent, event.reportingInstance].filter(Boolean).join(', ')
  return [component, host].filter(Boolean).join(', ')
}
