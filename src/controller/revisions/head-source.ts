import type { RepoSnapshot } from '../../protocol/repo-snapshot.ts'

/** One branch of one repository. */
export interface HeadSource {
  /** Ends only by the signal. */
  follow(options: FollowHead): AsyncIterable<HeadEvent>
  /** Looks for news at once, instead of at the next poll. */
  look(): void
}

export interface FollowHead {
  readonly signal: AbortSignal
  /** The commit that the cluster keeps as the last accepted: a head must descend from it. */
  readonly lastAccepted: string | undefined
  /** The same at any time: a head that was read and is invalid, or not promoted, binds nobody. */
  readonly acceptedNow?: () => string | undefined
}

export type HeadRefusal = 'InvalidRepository' | 'UntrustedCommit'

export type HeadEvent =
  | { readonly kind: 'head'; readonly snapshot: RepoSnapshot }
  /** There is a newer head, and it is not taken. */
  | { readonly kind: 'refused'; readonly commit: string; readonly reason: HeadRefusal; readonly message: string }
  /** The repository cannot be read now; being retried. */
  | { readonly kind: 'trouble'; readonly message: string }
  /** The repository was read again after trouble, and the head is as before. */
  | { readonly kind: 'mended' }
