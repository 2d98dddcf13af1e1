import type { NodeContent } from '../../protocol/digest.ts'
import { parseNodeHistory } from '../../protocol/node-history.ts'
import { shortRevision } from '../../protocol/revision-id.ts'
import { type ContentChange, diffContent } from '../../render/diff-content.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import type { CompiledFleet } from '../fleet/compiled-fleet.ts'
import type { PoolRenderer } from '../fleet/pool-renderer.ts'
import { runningContent } from '../snapshot/node-targets.ts'

/** What the content that is assigned to a node changes on it. */
export interface NodeChanges {
  readonly revision: string
  /** Absent: it ran nothing that was managed, or nobody knows what. */
  readonly sinceRun?: NodeComparison
  /** Absent: no earlier commit is kept. */
  readonly sinceCommit?: NodeComparison
}

export interface NodeComparison {
  /** The commit that it is compared with, perhaps shortened. */
  readonly revision: string
  /** Absent: that commit, or the assigned one, is not in the memory of the controller. */
  readonly changes?: readonly ContentChange[]
}

export interface NodeChangeSources {
  /** Commits in use: others would have to be read from the cluster, and compiled. */
  readonly revisions: ReadonlyMap<string, CompiledFleet>
  /** Every commit that the cluster keeps, the last accepted first. */
  readonly kept: readonly string[]
  readonly renderer: PoolRenderer
}

/** Renders one node at a few commits. @returns undefined when nothing is assigned to it */
export function nodeChanges(node: ClusterNode, sources: NodeChangeSources): NodeChanges | undefined {
  const { assigned } = node.view
  if (!assigned) return undefined
  const after = contentOf(node, { digest: assigned.digest, pool: assigned.pool }, sources)
  const compared = (revision: string, before: NodeContent | undefined): NodeComparison => ({
    revision,
    ...(before && after && { changes: diffContent(before, after) }),
  })
  const run = ranBefore(node, assigned, sources)
  const commit = sources.kept[sources.kept.indexOf(assigned.revision) + 1]
  const isKept = sources.kept.includes(assigned.revision)
  return {
    revision: assigned.revision,
    ...(run && { sinceRun: compared(run.revision, run.content) }),
    ...(isKept && commit !== undefined && { sinceCommit: compared(commit, contentAt(node, commit, sources)) }),
  }
}

interface Run {
  readonly revision: string
  readonly content: NodeContent | undefined
}

/** What it runs until the assigned content is applied; after that, what it applied before, as it would be rendered now. */
function ranBefore(
  node: ClusterNode,
  assigned: { readonly digest: string; readonly revision: string },
  sources: NodeChangeSources,
): Run | undefined {
  const { current } = node
  if (current === undefined) return undefined
  const { DIGEST: digest, REVISION: revision = '', POOL: pool } = current
  if (digest !== undefined && digest !== assigned.digest) return { revision, content: contentOf(node, { digest, pool }, sources) }
  const name = shortRevision(assigned.revision, 12)
  const run = parseNodeHistory(node.history).find(({ phase, revision }) => phase === 'Applied' && revision !== name)
  const commit = run && [...sources.revisions.keys()].find((revision) => shortRevision(revision, 12) === run.revision)
  return run && { revision: run.revision, content: commit === undefined ? undefined : contentAt(node, commit, sources) }
}

function contentOf(
  node: ClusterNode,
  { digest, pool: name = node.poolLabel ?? '' }: { readonly digest: string; readonly pool?: string | undefined },
  { revisions, renderer }: NodeChangeSources,
): NodeContent | undefined {
  const pool = [...revisions.values()].map(({ pools }) => pools.get(name)).find((found) => found !== undefined)
  return pool && runningContent(node, { DIGEST: digest, POOL: name }, { pool, revisions, renderer })
}

function contentAt(node: ClusterNode, revision: string, { revisions, renderer }: NodeChangeSources): NodeContent | undefined {
  const fleet = revisions.get(revision)
  const owner = fleet?.ownerOf(node.facts)
  const pool = owner?.kind === 'owned' ? fleet?.pools.get(owner.pool) : undefined
  const rendered = pool && renderer.render(pool, node)
  return rendered?.kind === 'config' ? rendered.content : undefined
}
