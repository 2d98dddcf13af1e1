import type { ResourceType } from '../resources/resource-type.ts'

export function verbsOf(type: ResourceType): readonly string[] {
  if (type.rules.answer) return ['create']
  return ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']
}
