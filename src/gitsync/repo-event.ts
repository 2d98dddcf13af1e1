import type { RepoSnapshot } from '../protocol/repo-snapshot.ts'

/** What following a repository tells, in order. */
export type RepoEvent =
  /** The branch has a new head, and it may be used. */
  | { readonly type: 'snapshot'; readonly snapshot: RepoSnapshot }
  /** The branch has a head that may not be used; the last accepted one stays. Yielded once for each such head. */
  | { readonly type: 'refused'; readonly commit: string; readonly reason: RefusalReason; readonly message: string }
  /** Reading fails and is being retried. Yielded at every failure. */
  | { readonly type: 'trouble'; readonly error: Error; readonly failures: number; readonly retryAfter: number }
  /** Reading works again. */
  | { readonly type: 'recovered' }

export type RefusalReason =
  /** History was rewritten: the head does not descend from the last accepted commit. */
  | 'Rewritten'
  /** Too much history lies between the two to tell whether it does. */
  | 'AncestryUnknown'
  /** No key that is trusted signed it, or one that comes with it. */
  | 'UntrustedCommit'
  /** The commit holds more files than a fleet ever has. */
  | 'TooManyFiles'
  /** The commit holds a path that leads elsewhere. */
  | 'UnsafePath'
  /** The commit holds a folder that Git would not have written. */
  | 'MalformedTree'
