import { type Document, isScalar, visit } from 'yaml'

/** Whether a map has a key twice. The search of the parser itself (`uniqueKeys`) compares each key with each: a minute for 40,000. */
export function repeatsKey(document: Document): boolean {
  let repeats = false
  visit(document, {
    Map: (_, { items }) => {
      repeats ||= new Set(items.map(({ key }) => (isScalar(key) ? key.value : key))).size < items.length
    },
  })
  return repeats
}
