/** One entry of the repository's tree, below the fleet's folder. Only `file` has content; the others are errors for the loader to place. */
export type RepoFile =
  | { readonly kind: 'file'; readonly bytes: Uint8Array; readonly blobId?: string }
  | { readonly kind: 'symlink'; readonly target: string }
  | { readonly kind: 'tooLarge'; readonly size: number }
  | { readonly kind: 'submodule' }

/** Files larger than this are not read: a fleet's documents are small, and every parser of foreign input is bounded. */
export const MAX_FILE_BYTES = 4 * 1024 * 1024
/** All files of a fleet together. */
export const MAX_TREE_BYTES = 64 * 1024 * 1024

/** A value of a Secret of the cluster, as it was when it was taken. */
export interface TakenValue {
  readonly bytes: Uint8Array
  /** Keyed with what only the controller has; equal for equal values of one Secret and key. */
  readonly hash: string
}

/** A commit as data; never changes once made. Paths are relative to the fleet's folder, with `/`. */
export interface RepoSnapshot {
  /** With contents of Secrets, the revision that they make; see revision-id.ts. */
  readonly commit: string
  readonly author: { readonly name: string; readonly email: string }
  /** Milliseconds since the epoch. */
  readonly committedAt: number
  readonly message: string
  readonly parents: readonly string[]
  readonly files: ReadonlyMap<string, RepoFile>
  /** It was accepted before: what is asked of new commits alone is not asked of it. */
  readonly accepted?: true
  /** By `name/key`. Absent: nothing was taken yet. */
  readonly secrets?: ReadonlyMap<string, TakenValue>
}
