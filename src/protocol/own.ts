/**
 * What an object itself has under a key that somebody else chose. Read plainly, every object also has `constructor` and `toString`, and what is
 * found there is no value of anybody's.
 */
export function own<Value>(record: { readonly [key: string]: Value }, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}
