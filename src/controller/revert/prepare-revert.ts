import { posix } from 'node:path'
import type { FileChange, RequestText } from '../../forge/revert/revert-requests.ts'
import { commitOf } from '../../protocol/revision-id.ts'
import type { Compile, CompiledFleet } from '../fleet/compiled-fleet.ts'
import type { HeadState } from '../revisions/head-intake.ts'
import type { RevisionLibrary } from '../revisions/revision-library.ts'
import type { RevisionStore } from '../revisions/revision-store.ts'
import type { FailedPool } from './failed-commits.ts'
import { revertText } from './revert-text.ts'
import { filesAfter, revertedFiles } from './reverted-files.ts'

/** Accepted revisions stand in the cluster: no history of Git is needed. */
export interface RevertSources {
  readonly library: Pick<RevisionLibrary, 'get' | 'kept'>
  readonly store: Pick<RevisionStore, 'load'>
  readonly compile: Compile
  readonly head: () => HeadState
}

export interface RevertAsked {
  readonly failed: readonly FailedPool[]
  readonly revision: string
  readonly context: string
  readonly folder: string
}

export type PreparedRevert =
  | { readonly files: readonly FileChange[]; readonly text: RequestText }
  /** Why there can be none. */
  | { readonly reason: string }

const MOST_SHOWN = 5

/** What takes the failed content out of the newest commit; checked by rendering it: each pool must get back what it completed. */
export async function prepareRevert(sources: RevertSources, asked: RevertAsked): Promise<PreparedRevert> {
  const { failed, revision, folder } = asked
  const head = sources.head().fleet
  const bad = await sources.library.get(revision)
  const good = await lastGood(sources, asked)
  if (!head || !bad || !good) return { reason: 'the commit before it is not kept in the cluster' }
  const reverted = revertedFiles({ good: good.files, failed: bad.files, head: head.files })
  const { conflicts, files } = reverted
  if (conflicts.length > 0) return { reason: `files changed again since: ${shown(conflicts)}` }
  if (files.length === 0) return { reason: 'no file differs: it failed with other contents of Secrets' }
  const after = await sources.compile({
    ...(await sources.store.load(head.commit)),
    files: filesAfter(head.files, reverted),
    accepted: true,
  })
  if (after.problems.length > 0) return { reason: `the fleet would be invalid: ${after.problems[0]}` }
  const unrepaired = failed.filter(({ pool, stable }) => after.pools.get(pool.name)?.fingerprint !== stable.fingerprint)
  if (unrepaired.length === failed.length) return { reason: 'the pool would have other content than the one that it completed' }
  const paths = files.map(({ path }) => posix.join(folder, path))
  const text = revertText({
    ...{ context: asked.context, commit: commitOf(revision), good: commitOf(good.commit), paths, pools: failed },
    unrepaired: unrepaired.map(({ pool }) => pool.name),
  })
  return { text, files: files.map((file) => ({ ...file, path: posix.join(folder, file.path) })) }
}

/** The newest commit before the one that failed in which the pool has what it completed: other pools keep what came before that. */
async function lastGood({ library }: RevertSources, { failed, revision }: RevertAsked): Promise<CompiledFleet | undefined> {
  const [first] = failed
  if (first === undefined) return undefined
  const { pool, stable } = first
  const kept = library.kept()
  const older = kept.includes(revision) ? kept.slice(kept.indexOf(revision) + 1) : []
  for (const commit of older) {
    const fleet = await library.get(commit)
    if (fleet?.pools.get(pool.name)?.fingerprint === stable.fingerprint) return fleet
  }
  return library.get(stable.revision)
}

function shown(paths: readonly string[]): string {
  const more = paths.length > MOST_SHOWN ? ` and ${paths.length - MOST_SHOWN} more` : ''
  return paths.slice(0, MOST_SHOWN).join(', ') + more
}
