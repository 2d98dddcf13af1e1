import { byText } from '../../../protocol/by-text.ts'
import type { ApiObject } from '../api-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { isArray, isObject, textAt } from '../json.ts'
import { humanAge } from '../represent/human-duration.ts'
import type { TableColumns } from '../represent/table-columns.ts'
import { column, NAME_COLUMN } from '../represent/table-columns.ts'
import { valueAtPath } from './json-path.ts'

const AGE = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }

/** The table of a custom resource, as its definition wants it; name and age when it says nothing. */
export function printerColumns(given: readonly JsonObject[]): TableColumns {
  const shown: readonly JsonObject[] = given.length > 0 ? given : [AGE]
  return {
    definitions: [
      NAME_COLUMN,
      ...shown.map((item) =>
        column(textAt(item, 'name'), {
          type: textAt(item, 'type'),
          format: textAt(item, 'format'),
          description: textAt(item, 'description'),
          priority: Number(item.priority ?? 0),
        }),
      ),
    ],
    cells: (object, now) => [object.metadata.name ?? '', ...shown.map((item) => cell(object, item, now))],
  }
}

/** A value of another type than the column says is left out, as the API server does. */
function cell(object: ApiObject, { type, jsonPath }: JsonObject, now: number): Json {
  const found = valueAtPath(object, String(jsonPath))
  if (found.length === 0) return null
  const [first = null] = found
  switch (type) {
    case 'integer':
      return typeof first === 'number' ? Math.trunc(first) : null
    case 'number':
      return typeof first === 'number' ? first : null
    case 'boolean':
      return typeof first === 'boolean' ? first : null
    case 'date':
      return typeof first !== 'string' ? null : Number.isNaN(Date.parse(first)) ? '<invalid>' : humanAge(first, now)
    default:
      return text(first)
  }
}

function text(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(sorted(value))
}

function sorted(value: Json): Json {
  if (isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const members = Object.entries(value).sort(byText(([key]) => key))
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member ?? null)]))
}
