import { type Document, isScalar, visit } from 'yaml'

/** The first key that a map has twice. The search of the parser itself (`uniqueKeys`) compares each key with each: a minute for 40,000. */
export function repeatedKey(document: Document): { readonly key: unknown } | undefined {
  let repeated: { readonly key: unknown } | undefined
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>()
      const keys = items.map(({ key }) => (isScalar(key) ? key.value : key))
      const index = keys.findIndex((key) => seen.size === seen.add(key).size)
      if (index < 0) return undefined
      repeated = { key: keys[index] }
      return visit.BREAK
    },
  })
  return repeated
}
