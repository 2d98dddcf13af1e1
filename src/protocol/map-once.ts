/**
 * Maps one list after the other: what came of an item that stands where it stood in the last list is taken over. Costs what has changed.
 * @param work pure; what it returns is not to be changed
 * @returns the same results again while nothing else came of any item
 */
export function mapOnce<In, Out>(work: (item: In) => Out): (items: readonly In[]) => readonly Out[] {
  let before: readonly In[] = []
  let known: readonly Out[] = []
  return (items) => {
    if (items === before) return known
    let changed = items.length === known.length ? undefined : known.slice(0, items.length)
    for (let index = 0; index < items.length; index++) {
      const item = items[index] as In
      if (index < known.length && item === before[index]) continue
      const result = work(item)
      if (changed === undefined && result === known[index]) continue
      changed ??= known.slice()
      changed[index] = result
    }
    before = items
    known = changed ?? known
    return known
  }
}
