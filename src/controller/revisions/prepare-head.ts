import type { RepoSnapshot } from '../../protocol/repo-snapshot.ts'
import { commitOf, revisionId } from '../../protocol/revision-id.ts'
import type { Compile, CompiledFleet } from '../fleet/compiled-fleet.ts'
import type { SecretTaker } from '../secrets/secret-taker.ts'

export interface PreparedHead {
  /** With what was taken from Secrets. */
  readonly snapshot: RepoSnapshot
  readonly fleet: CompiledFleet
  /** The Secrets that were looked at; absent: none were. */
  readonly seen?: readonly unknown[]
  /** Why they are not to be had, one line each; then the fleet is not to be used. */
  readonly missing?: readonly string[]
}

export interface PrepareOptions {
  readonly compile: Compile
  /** Absent: the controller takes nothing from Secrets. */
  readonly taker: SecretTaker | undefined
  /** Accepted last; when that is the same revision, it is given back. */
  readonly known: CompiledFleet | undefined
}

/** Makes a commit ready to be judged, with what it takes from Secrets of the cluster as these are now. */
export async function prepareHead(snapshot: RepoSnapshot, options: PrepareOptions): Promise<PreparedHead> {
  const { compile, taker, known } = options
  const before = known && commitOf(known.commit) === snapshot.commit ? known : undefined
  const fleet = before ?? (await compile(snapshot))
  const { secretRefs = [] } = fleet
  if (secretRefs.length === 0) return { snapshot, fleet }
  if (!taker) return { snapshot, fleet, missing: [NO_NAMESPACE] }
  const taken = await taker.take(secretRefs)
  const { seen } = taken
  if (taken.kind === 'missing') return { snapshot, fleet, seen, missing: taken.problems }
  const complete = { ...snapshot, commit: revisionId(snapshot.commit, taken.id), secrets: taken.values }
  return { snapshot: complete, fleet: known?.commit === complete.commit ? known : await compile(complete), seen }
}

const NO_NAMESPACE = 'the controller takes no values of Secrets; start it with --secrets-namespace'
