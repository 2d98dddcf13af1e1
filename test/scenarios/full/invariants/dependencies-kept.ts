import type { NodePoolStatus } from '../../../../src/protocol/node-pool.ts'
import { hasCompleted } from '../../../../src/rollout/target/dependencies.ts'
import type { PoolInvariant } from '../invariants.ts'
import type { World } from '../world.ts'

/** What a pool has completed before waits for nobody; pools hold up none as long as no watch has shown a node of theirs. */
export const dependenciesKept: PoolInvariant = {
  claim: 'a pool begins with a content only after the pools that it depends on have completed theirs of that commit',
  holds({ metadata: { name: pool }, status }, world) {
    const { target, history = [], rejected = [] } = (status ?? {}) as Partial<NodePoolStatus>
    if (target === undefined) return true
    const { revision } = target
    // What is known to have failed here is looked at, and halted: nothing begins before a retry.
    if (rejected.some((failed) => contentOf(pool, failed.revision, world) === contentOf(pool, revision, world))) return true
    const isKept = begins(pool, revision, world) ? awaitedBy(pool, world).every((name) => hasHad(name, revision, world)) : true
    if (hasCompleted({ head: target }, { target, history })) world.completed.add(`${pool} ${contentOf(pool, revision, world)}`)
    return isKept
  },
}

/** The target is another content than in the status before, and one that the pool has never completed. */
function begins(pool: string, revision: string, world: World): boolean {
  const content = contentOf(pool, revision, world)
  const before = world.targets.get(pool)
  world.targets.set(pool, content)
  return before !== content && !hasHad(pool, revision, world)
}

function awaitedBy(pool: string, world: World): string[] {
  const { dependsOn = [] } = world.pools.find(({ name }) => name === pool) ?? {}
  const shown = [...world.machines.values()].filter((machine) => world.isShown(machine))
  return dependsOn.filter((name) => shown.some((machine) => machine.pool === name))
}

/** The pool has completed what the commit gives it. */
function hasHad(pool: string, revision: string, world: World): boolean {
  return world.completed.has(`${pool} ${contentOf(pool, revision, world)}`)
}

function contentOf(pool: string, revision: string, world: World): string {
  return world.contentOf(pool, revision)?.name ?? ''
}
