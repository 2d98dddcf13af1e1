import type { RevisionRef } from '../../protocol/node-pool.ts'
import type { Assignment } from '../model/node-view.ts'
import { denotes, isForgetful, isRejected, refOf } from '../model/remembered-revision.ts'
import type { PoolSnapshot, Revision } from '../model/snapshot.ts'

/**
 * Where an annotation sends the pool that its status knows nothing of: to what the pool assigned a node, which remembers it. A status may be
 * lost, or an older one restored, while the annotation stands, or comes again.
 */
export function rollbackOfNodes(pool: PoolSnapshot, asked: string): RevisionRef | undefined {
  const { head, known, memory } = pool
  const meant = assignmentMeant(pool, asked)
  if (meant === undefined || meant.revision === head.revision) return undefined
  const revision = known.get(meant.revision)
  // What has failed, or cannot be rendered, is meant all the same: the pool halts, and does not go forward by itself.
  if (isForgetful(memory) && !revision) return { revision: meant.revision, fingerprint: '' }
  return revision && isWayBack(revision, pool) ? refOf(revision) : undefined
}

/** The last one: of a commit, the pool may have assigned older contents of Secrets, too. Without a name only where it remembers nothing of what completed. */
function assignmentMeant({ name, nodes, memory }: PoolSnapshot, asked: string): Assignment | undefined {
  const own = nodes.flatMap(({ assigned }) => (assigned?.pool === name ? [assigned] : []))
  const named = asked === '' ? own.filter(() => isForgetful(memory)) : own.filter((assigned) => denotes(asked, assigned))
  return named.toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0))[0]
}

/** The target is one, too, while the newest commit is about to take its place. */
function isWayBack(revision: Revision, { head, memory }: PoolSnapshot): boolean {
  if (revision.fingerprint === head.fingerprint) return false
  if (isForgetful(memory)) return true
  const isTarget = revision.fingerprint === memory.target?.fingerprint
  return !isRejected(memory, revision) && !(isTarget && (memory.rollback !== undefined || isRejected(memory, head)))
}
