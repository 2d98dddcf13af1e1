/** A map of its own with the same entries. The constructor would make two objects for each entry, of which there are thousands. */
export function copyMap<Key, Value>(map: ReadonlyMap<Key, Value>): Map<Key, Value> {
  const copy = new Map<Key, Value>()
  map.forEach((value, key) => {
    copy.set(key, value)
  })
  return copy
}
