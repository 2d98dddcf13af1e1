import type { Aside } from './cordon.ts'
import type { Instant } from './instant.ts'
import type { PodView } from './node-view.ts'

/**
 * What a drain does about a pod, by the filters of `kubectl drain`.
 * Leave: it may stay. Await: its eviction was accepted, and has not ended. Evict: it is to go.
 * Consent: nobody allowed what its going would cost, `allow` being the setting that does.
 */
export type PodVerdict =
  | { readonly kind: 'Leave' | 'Await' | 'Evict' }
  | { readonly kind: 'Consent'; readonly allow: 'deleteEmptyDirData' | 'force' }

/** How it stands with a node that is cordoned, or bears a mark of ours. */
export type Drain =
  | Underway
  /** Nothing is waited for any more: it may be granted what it needs. */
  | { readonly kind: 'Done' }
  /** It took too long, and is to come later. */
  | { readonly kind: 'GivenUp' }
  /** A person uncordoned the node in the middle. */
  | { readonly kind: 'CalledOff' }
  /** There is nothing, or nothing any more, to drain it for. */
  | { readonly kind: 'Over' }
  /** It is left out. Down: it cannot be drained until it is back. */
  | { readonly kind: 'Aside'; readonly because: Aside['because'] | 'Down'; readonly until?: Instant }

export interface Underway {
  readonly kind: 'Underway'
  readonly since: Instant
  readonly deadline: Instant
  /** Of a node that is not Ready: when it is past draining. */
  readonly pastAt?: Instant
  /** Pods that the drain waits for; undefined until they are known. */
  readonly remaining?: readonly Remaining[]
  /** Why they are not known. */
  readonly trouble?: string
}

export interface Remaining {
  readonly pod: PodView
  readonly verdict: Exclude<PodVerdict, { readonly kind: 'Leave' }>
}
