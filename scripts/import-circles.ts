/** File → the files that it imports. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

/**
 * One circle for each file where following the imports comes back to a file under way, as the files along it. None is needed: what both
 * sides want of each other is a file of its own.
 */
export function circlesIn(graph: ImportGraph): readonly (readonly string[])[] {
  const circles: (readonly string[])[] = []
  const done = new Set<string>()
  const visit = (file: string, way: readonly string[]): void => {
    const begun = way.indexOf(file)
    if (begun >= 0) circles.push([...way.slice(begun), file])
    if (begun >= 0 || done.has(file)) return
    for (const target of graph.get(file) ?? []) visit(target, [...way, file])
    done.add(file)
  }
  for (const file of graph.keys()) visit(file, [])
  return circles
}
