import { isDeepStrictEqual } from 'node:util'

/** Like `isDeepStrictEqual`, several times as fast for plain data: objects, arrays and primitive values. */
export function isSameData(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, index) => isSameData(item, b[index]))
  return isPlain(a) && isPlain(b) ? hasSameFields(a, b) : isDeepStrictEqual(a, b)
}

type Plain = Readonly<Record<string, unknown>>

function isPlain(value: object): value is Plain {
  return Object.getPrototypeOf(value) === Object.prototype
}

function hasSameFields(a: Plain, b: Plain): boolean {
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  for (const name of names) if (!Object.hasOwn(b, name) || !isSameData(a[name], b[name])) return false
  return true
}
