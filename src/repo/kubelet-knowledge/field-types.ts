import { type Knowledge, ROOT_TYPE } from './knowledge.ts'

const NUMBERS: ReadonlySet<string> = new Set(['int', 'number'])

export const ROOT = ROOT_TYPE

/** The type of a member of a value of this type; undefined where no kubelet has one. */
export function memberType(
  { fields }: Pick<Knowledge, 'fields'>,
  type: string | undefined,
  name: string | number,
): string | undefined {
  if (type?.startsWith('[]') || type?.startsWith('{}')) return type.slice(2)
  return type === undefined ? undefined : fields.get(type)?.get(String(name))
}

export function isNumberType(type: string | undefined): boolean {
  return type !== undefined && NUMBERS.has(type)
}
