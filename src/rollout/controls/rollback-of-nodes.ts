import type { RevisionRef } from '../../protocol/node-pool.ts'
import type { Assignment } from '../model/node-view.ts'
import { denotes, refOf } from '../model/remembered-revision.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'

/**
 * Where an annotation sends a pool that has lost its status: to what the pool assigned its nodes, which remember it. Without a name, to
 * what it assigned last. One that has failed, or that cannot be rendered, is meant all the same: the pool does not go forward by itself.
 */
export function rollbackOfNodes({ name, nodes, head, known }: PoolSnapshot, asked: string): RevisionRef | undefined {
  const own = nodes.flatMap(({ assigned }) => (assigned?.pool === name ? [assigned] : []))
  const meant = asked === '' ? newestOf(own) : own.find((assigned) => denotes(asked, assigned))
  if (meant === undefined || meant.revision === head.revision) return undefined
  const revision = known.get(meant.revision)
  if (revision?.fingerprint === head.fingerprint) return undefined
  return revision ? refOf(revision) : { revision: meant.revision, fingerprint: '' }
}

function newestOf(assigned: readonly Assignment[]): Assignment | undefined {
  return assigned.toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0))[0]
}
