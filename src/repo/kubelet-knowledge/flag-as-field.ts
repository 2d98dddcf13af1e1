import type { FlagValue } from '../schema/common.ts'

/** These two maps are read by the kubelet as `signal<threshold`; all others as `key=value`. */
export const LESS_THAN_FLAGS: ReadonlySet<string> = new Set(['eviction-hard', 'eviction-soft'])

/** As it would stand in the configuration; undefined where that cannot be said. @param type in pflag's words */
export function asFieldValue({
  name,
  value,
  type,
}: {
  readonly name: string
  readonly value: FlagValue
  readonly type: string
}): unknown {
  // A map may have a member by the name of what would make it text.
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  if (text.includes('{{')) return undefined
  if (/^u?int\d*$|^Level$/.test(type)) return Number(text)
  if (type === 'bool') return text === 'true'
  if (type === 'stringSlice') return Array.isArray(value) ? value.map(String) : text.split(',')
  if (!type.startsWith('mapString')) return typeof value === 'object' ? undefined : text
  if (typeof value === 'object' && !Array.isArray(value)) return value
  return pairs(Array.isArray(value) ? value.join(',') : text, LESS_THAN_FLAGS.has(name) ? '<' : '=')
}

function pairs(text: string, separator: string): Record<string, string> {
  const found = text.split(',').flatMap((pair) => {
    const at = pair.indexOf(separator)
    return at === -1 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const]
  })
  return Object.fromEntries(found)
}
