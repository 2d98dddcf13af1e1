import type { PoolCondition } from '../../../../src/protocol/node-pool.ts'
import type { Memory, PoolSnapshot } from '../../../../src/rollout/model/snapshot.ts'
import type { Observed } from '../controller.ts'
import type { Invariant } from '../invariants.ts'
import { type Decided, decidedPools } from './steps.ts'

/** An operator looks at the named pools first. */
export const dependenciesNamed: Invariant = {
  claim:
    'a pool that waits for other pools names all that it depends on, itself or through others, and that have not completed the commit',
  ofDecision: (observed) =>
    decidedPools(observed).every((decided) => waitsOf(decided).every((wait) => isTrue(wait, decided, observed))),
}

function waitsOf({ decision: { status } }: Decided): PoolCondition[] {
  return status.conditions.filter(({ reason }) => reason === 'WaitingForDependency')
}

function isTrue({ message }: PoolCondition, { pool }: Decided, observed: Observed): boolean {
  const named = [...message.matchAll(/(?:waits|and) for "([^"]+)"/g)].map(([, name = '']) => name)
  const awaited = awaitedBy(pool, observed, (name) => observed.decisions.get(name)?.status)
  // All have completed it, and that is not written yet.
  const unwritten = awaitedBy(pool, observed, (name) => poolOf(name, observed)?.memory)
  const expected = awaited.size > 0 ? awaited : unwritten
  return named.length > 0 && new Set(named).size === named.length && isSameSet(new Set(named), expected)
}

type Known = (pool: string) => Pick<Memory, 'history' | 'stable'> | undefined

function awaitedBy({ policy: { dependsOn = [] } }: PoolSnapshot, observed: Observed, known: Known): ReadonlySet<string> {
  const others = dependsOn.flatMap((name) => poolOf(name, observed) ?? [])
  return new Set(others.flatMap((other) => [...(isDone(other, known) ? [] : [other.name]), ...awaitedBy(other, observed, known)]))
}

/** A pool without nodes has completed every commit. */
function isDone({ name, nodes, head: { fingerprint } }: PoolSnapshot, known: Known): boolean {
  const { history: [run] = [], stable } = known(name) ?? {}
  if (nodes.length === 0) return true
  return run?.result === 'Completed' && run.fingerprint === fingerprint && stable?.fingerprint === fingerprint
}

function poolOf(name: string, { fleet }: Observed): PoolSnapshot | undefined {
  return fleet.pools.find((pool) => pool.name === name)
}

function isSameSet(names: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return names.size === others.size && [...names].every((name) => others.has(name))
}
