import { canonicalJson, type Json } from '../protocol/digest.ts'

type Entries<T> = Readonly<Record<string, T>>

/** What all have alike; of one alone, everything. */
export function common<T>([first = {}, ...rest]: readonly Entries<T>[]): Entries<T> {
  return Object.fromEntries(Object.entries(first).filter(([key, value]) => rest.every((other) => isSame(own(other, key), value))))
}

/** What remains beside the common part. */
export function without<T>(entries: Entries<T>, shared: Entries<T>): Entries<T> {
  return Object.fromEntries(Object.entries(entries).filter(([key, value]) => !isSame(own(shared, key), value)))
}

export function isEmpty(entries: object): boolean {
  return Object.keys(entries).length === 0
}

export function isSame(a: unknown, b: unknown): boolean {
  return a !== undefined && b !== undefined && canonicalJson(a as Json) === canonicalJson(b as Json)
}

function own<T>(entries: Entries<T>, key: string): T | undefined {
  return Object.hasOwn(entries, key) ? entries[key] : undefined
}
