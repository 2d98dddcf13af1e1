import type { Instant } from '../model/instant.ts'
import type { NodeView } from '../model/node-view.ts'
import { completionOf, recallRevision, recallStable } from '../model/remembered-revision.ts'
import type { Memory, PoolSnapshot, Revision } from '../model/snapshot.ts'
import { isAssigned } from '../model/wanted-assignment.ts'
import { commitsOf, reachesBackTo } from './history.ts'

interface Sought {
  readonly target: Revision
  readonly now: Instant
}

/**
 * When a rollout began that the status does not know, because it was lost, or an older one was restored: with the first node that the pool
 * assigned its content, or that of its commit for other labels. What failed since then still counts.
 * @returns at the latest now; undefined when no node shows such a rollout
 */
export function traceStart(pool: PoolSnapshot, { target, now }: Sought): Instant | undefined {
  const known = knownContents(pool, target)
  const isUnknown = unknownTo(pool.memory, { target, now })
  const starts = pool.nodes.flatMap((node) => {
    const { assigned } = node
    if (assigned?.at === undefined || assigned.pool !== pool.name) return []
    if (known.some(({ wanted }) => isAssigned(node, wanted.get(node.name)))) return []
    return isOf(node, target) && isUnknown(assigned.revision, assigned.at) ? [assigned.at] : []
  })
  return starts.length === 0 ? undefined : Math.min(now, ...starts)
}

/**
 * Some node shows that the pool has begun with this commit, or with one that renders the same, which the status does not know. The same commit may
 * have had other content, in another release of the program; and the stable content is assigned under the newest commit that has it.
 */
export function isTraced({ name, nodes, memory, known }: PoolSnapshot, { target, now }: Sought): boolean {
  const { stable, rejected } = memory
  const named = new Set([memory.target, stable, ...rejected].map((ref) => ref?.revision))
  if (named.has(target.revision) || stable?.fingerprint === target.fingerprint) return false
  // What nodes have under another name may have completed long ago, unless the status tells of rollouts before it.
  const others = memory.history.length === 0 ? [] : [...known.values()].filter(({ revision }) => !named.has(revision))
  const equal = others.filter(({ fingerprint }) => fingerprint === target.fingerprint)
  const commits = new Set([target, ...equal].map(({ revision }) => revision))
  const isUnknown = unknownTo(memory, { target, now })
  return nodes.some(
    ({ assigned }) =>
      assigned?.at !== undefined &&
      assigned.pool === name &&
      commits.has(assigned.revision) &&
      isUnknown(assigned.revision, assigned.at),
  )
}

/**
 * What the status says that nodes have besides the target. A rollout goes on under more commits than its status keeps, and the target may be the
 * same content for some nodes.
 */
function knownContents(pool: PoolSnapshot, { fingerprint }: Revision): readonly Revision[] {
  const before = recallRevision(pool, pool.memory.target)
  const contents = [recallStable(pool, pool.memory), before?.fingerprint === fingerprint ? undefined : before]
  return contents.filter((content) => content !== undefined)
}

function isOf(node: NodeView, target: Revision): boolean {
  return isAssigned(node, target.wanted.get(node.name)) || node.assigned?.revision === target.revision
}

/**
 * After all that the status tells of, and of a commit that it names, after the end of that: a stamp that is ahead shows no such thing. Or, by the
 * commit alone, after the oldest rollout that it tells of, or where a clock was put back in between: a rollout before that is one that the history
 * no longer has.
 */
function unknownTo(memory: Memory, { target, now }: Sought): (commit: string, at: Instant) => boolean {
  const { history } = memory
  const [top] = history
  const knownUntil = top ? Date.parse(top.endedAt ?? top.startedAt) : Number.NEGATIVE_INFINITY
  const knownSince = reachesBackTo(history)
  const ends = endsOfCommits(memory)
  const isNew = !history.some(({ fingerprint }) => fingerprint === target.fingerprint)
  return (commit, at) => {
    const end = ends.get(commit)
    if (end !== undefined) return at <= now && at > Math.max(end, knownUntil)
    return at > knownUntil || (isNew && commit === target.revision && (at >= knownSince || now < knownUntil))
  }
}

/**
 * Until when the pool assigns a commit, as far as the status tells: without end that of the last rollout, of what has completed last, and of a
 * rollout that ended after the next one began, as a clock was put back.
 */
function endsOfCommits({ history, stable }: Memory): ReadonlyMap<string, Instant> {
  const completed = stable && completionOf(history, stable)?.index
  const ends = new Map<string, Instant>()
  for (const [index, entry] of history.entries()) {
    const next = index === completed ? undefined : history[index - 1]
    const endedAt = Date.parse(entry.endedAt ?? '')
    const end = next && endedAt <= Date.parse(next.startedAt) ? endedAt : Number.POSITIVE_INFINITY
    for (const commit of commitsOf(entry)) ends.set(commit, Math.max(end, ends.get(commit) ?? end))
  }
  return ends
}
