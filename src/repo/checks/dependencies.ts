import { type Draft, errorAt } from '../draft.ts'
import type { Problem } from '../problem.ts'

/** Pools that wait for each other would wait for ever. Each cycle is reported once, at its first pool by name. */
export function checkDependencies({ documents: { NodePool: pools } }: Draft): Problem[] {
  const settled = new Set<string>()
  return [...pools.keys()].flatMap((name) => {
    const cycle = cycleFrom(name, (of) => pools.get(of)?.spec.dependsOn ?? [], settled)
    const pool = cycle && pools.get(cycle[0] ?? '')
    if (!cycle || !pool) return []
    const message = `pools depend on each other in a circle: ${[...cycle, cycle[0]].join(' → ')}`
    return [
      errorAt(pool, ['dependsOn', (pool.spec.dependsOn ?? []).indexOf(cycle[1] ?? pool.name)], {
        reason: 'DependencyCycle',
        message,
        remedy: 'remove one of these dependsOn',
      }),
    ]
  })
}

/** Depth first; `settled` collects what needs no second look. */
function cycleFrom(start: string, next: (name: string) => readonly string[], settled: Set<string>): string[] | undefined {
  const trail: string[] = []
  const visit = (name: string): string[] | undefined => {
    if (trail.includes(name)) return trail.slice(trail.indexOf(name))
    if (settled.has(name)) return undefined
    settled.add(name)
    trail.push(name)
    for (const dependency of next(name)) {
      const cycle = visit(dependency)
      if (cycle) return cycle
    }
    trail.pop()
    return undefined
  }
  return visit(start)
}
