import type { Json } from '../protocol/digest.ts'
import type { JsonObject } from '../protocol/merge-patch.ts'
import { isNumberType, memberType, ROOT } from '../repo/kubelet-knowledge/field-types.ts'
import { type Knowledge, knowledgeOf } from '../repo/kubelet-knowledge/knowledge.ts'
import { fillTemplates, isWholeTemplate } from './templates.ts'

interface Filling {
  readonly resolved: ReadonlyMap<string, string>
  /** Of the kubelet that reads it. */
  readonly version: string | undefined
}

/** The configuration with every template replaced. A text that is one template and nothing else becomes a number where the kubelet reads one. */
export function fillFields(fields: JsonObject, { resolved, version }: Filling): JsonObject {
  const knowledge = knowledgeOf(version)
  return fill(fields, ROOT, { resolved, knowledge }) as JsonObject
}

/** The same for the value of one field. */
export function fillField(path: readonly string[], value: Json, { resolved, version }: Filling): Json {
  const knowledge = knowledgeOf(version)
  const type = path.reduce<string | undefined>((found, step) => memberType(knowledge, found, step), ROOT)
  return fill(value, type, { resolved, knowledge })
}

interface TypedFilling {
  readonly resolved: ReadonlyMap<string, string>
  readonly knowledge: Knowledge
}

function fill(value: Json, type: string | undefined, filling: TypedFilling): Json {
  const { resolved, knowledge } = filling
  if (typeof value === 'string') {
    const text = fillTemplates(value, resolved)
    const isNumber = isNumberType(type) && isWholeTemplate(value) && /^-?\d+(?:\.\d+)?$/.test(text)
    return isNumber ? Number(text) : text
  }
  if (Array.isArray(value)) return value.map((item, index) => fill(item, memberType(knowledge, type, index), filling))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, fill(member ?? null, memberType(knowledge, type, key), filling)]),
  )
}
