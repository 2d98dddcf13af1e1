import type { NodePoolStatus } from '../../../../src/protocol/node-pool.ts'
import type { Observed } from '../controller.ts'
import type { Invariant } from '../invariants.ts'
import { type Decided, decidedPools } from './steps.ts'

export const dependenciesKept: Invariant = {
  claim: 'a pool begins with a commit that is new to it when those that it depends on have completed it',
  ofDecision: (observed) => decidedPools(observed).every((decided) => !begins(decided) || isFree(decided, observed)),
}

/**
 * One that is known to have failed here is looked at, and halted: nothing begins. A pool that a person rolled back goes where that
 * person says, also when the newest commit happens to render the same.
 */
function begins({ pool, decision: { status } }: Decided): boolean {
  const { head } = pool
  if (status.rollback !== undefined) return false
  if (status.rejected.some(({ fingerprint }) => fingerprint === head.fingerprint)) return false
  return status.target?.fingerprint === head.fingerprint && !hasBegun(pool)
}

/** As its status says; where that was lost, or is older, as the nodes say that it assigned the commit to, or one that renders the same. */
function hasBegun({ name, nodes, head, memory, known }: Decided['pool']): boolean {
  if (memory.target?.fingerprint === head.fingerprint) return true
  const named = new Set(memory.history.flatMap(({ revision, commits = [] }) => [revision, ...commits]))
  const isOfHead = (commit: string): boolean =>
    commit === head.revision || (memory.history.length > 0 && known.get(commit)?.fingerprint === head.fingerprint)
  return nodes.some(({ assigned }) => assigned?.pool === name && !named.has(assigned.revision) && isOfHead(assigned.revision))
}

function isFree({ pool }: Decided, { fleet, decisions }: Observed): boolean {
  const { head, memory, policy } = pool
  const completed = [memory.stable, ...memory.history.filter(({ result, abandoned }) => result === 'Completed' && !abandoned)]
  if (completed.some((run) => run?.fingerprint === head.fingerprint)) return true
  return (policy.dependsOn ?? []).every((name) => {
    const other = fleet.pools.find((each) => each.name === name)
    return !other || other.nodes.length === 0 || isAt(other.head.fingerprint, decisions.get(name)?.status)
  })
}

function isAt(fingerprint: string, status: NodePoolStatus | undefined): boolean {
  const [run] = status?.history ?? []
  return run?.result === 'Completed' && run.fingerprint === fingerprint && status?.stable?.fingerprint === fingerprint
}
