import type { ApiObject } from '../api-object.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { validate } from '../schema/validate.ts'
import { invalid } from '../status-error.ts'
import { metaProblems } from './validate-meta.ts'

/** @throws {StatusError} 422 with everything that is wrong */
export function checkObject(next: ApiObject, old: ApiObject | undefined, type: ResourceType): void {
  const meta = next.metadata === old?.metadata ? [] : metaProblems(next, old)
  const byRules = type.rules.validate?.(next, old) ?? []
  const bySchema = type.custom ? validate(next, type.schema) : []
  const causes = [...meta, ...byRules, ...bySchema]
  if (causes.length > 0) throw invalid(type, next.metadata.name ?? '', causes)
}
