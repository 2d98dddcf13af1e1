/**
 * Maps one list after the other: what came of an item that stands where it stood in the last list is taken over. Costs what has changed.
 * @param work pure; what it returns is not to be changed
 * @returns the same results again while nothing else came of any item
 */
export function mapOnce<In, Out>(work: (item: In) => Out): (items: readonly In[]) => readonly Out[] {
  let before: readonly In[] = []
  let known: readonly Out[] = []
  return (items) => {
    const results: Out[] = []
    let isSame = items.length === known.length
    for (let index = 0; index < items.length; index++) {
      const item = items[index] as In
      const result = index < known.length && item === before[index] ? (known[index] as Out) : work(item)
      isSame &&= result === known[index]
      results.push(result)
    }
    before = items
    if (!isSame) known = results
    return known
  }
}
