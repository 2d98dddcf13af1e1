import type { FollowEvent, FollowOptions, KubeApi, KubeObject } from '../../kube/kube-api.ts'
import { KubeError } from '../../kube/kube-api.ts'
import type { Clock } from '../clock/clock.ts'
import type { Log } from '../log/log.ts'
import type { Cached, ObjectCache } from './object-cache.ts'

export interface Following {
  readonly kube: KubeApi
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
  /** Called when something visible changed, and when the server is there again: what failed while it was away may pass now. */
  readonly changed: () => void
}

export interface Followed<T extends Cached>
  extends Pick<FollowOptions<T>, 'labelSelector' | 'fieldSelector' | 'streamed' | 'stallAfter' | 'isAwaited' | 'onEnd'> {
  readonly path: string
  readonly cache: Pick<ObjectCache<T>, 'observe' | 'catchUp' | 'listing'>
  readonly project: (object: KubeObject) => T
  /** Names are unique only within their namespaces; the cache has them as `namespace/name`. */
  readonly manyNamespaces?: boolean
  /** The watch stands. */
  readonly onOpen?: () => void
  /** All of it has been read. */
  readonly onListed?: () => void
  /** It broke off or was refused, and why. */
  readonly onTrouble?: (trouble: string, error: unknown) => void
  /** The server refuses the collection. */
  readonly onRefused?: (error: unknown) => void
}

/** How long to stay away after the server refused a collection that it had given before: rights come and go while a server starts. */
const REFUSED_PAUSE = 5_000

/** Resolves at the first full list, or at the end; goes on following in the background until `signal`. Rejects when the first list is refused. */
export function followCollection<T extends Cached>(following: Following, followed: Followed<T>): Promise<void> {
  return new Promise((resolve, reject) => {
    const observe = (event: FollowEvent<T>): void => {
      followed.cache.observe(event)
      if (event.type !== 'sync') return
      followed.onListed?.()
      resolve()
    }
    // Before the first list this ends the wait with a clear error; afterwards nobody waits for it any more.
    const onRefused = (error: unknown): void => {
      followed.onTrouble?.(troubleWith(followed, error), error)
      followed.onRefused?.(error)
      reject(error)
    }
    void keepFollowing(following, { ...followed, observe, onRefused }).then(resolve)
  })
}

interface Observed<T extends Cached> extends Followed<T> {
  readonly observe: (event: FollowEvent<T>) => void
  readonly onRefused: (error: unknown) => void
}

async function keepFollowing<T extends Cached>(following: Following, followed: Observed<T>): Promise<void> {
  const { kube, clock, log, signal } = following
  const { path, manyNamespaces = false, observe, onRefused } = followed
  while (!signal.aborted) {
    try {
      for await (const event of kube.follow<T>(path, requestOf(following, followed)))
        observe(manyNamespaces && event.type === 'delete' ? { ...event, name: `${event.namespace}/${event.name}` } : event)
    } catch (error) {
      if (signal.aborted) return
      onRefused(error)
      log('error', `follow "${path}": ${describe(error)}`)
    }
    await clock.sleepUntil(clock.now() + REFUSED_PAUSE, signal)
  }
}

function requestOf<T extends Cached>({ signal, changed }: Following, followed: Followed<T>): FollowOptions<T> {
  const { project, labelSelector, fieldSelector, streamed, stallAfter, isAwaited, onEnd } = followed
  return {
    project,
    signal,
    onTrouble: (error) => followed.onTrouble?.(troubleWith(followed, error), error),
    onList: () => followed.cache.listing(),
    onOpen: () => {
      changed()
      followed.onOpen?.()
    },
    ...(streamed !== undefined && { streamed }),
    ...(stallAfter !== undefined && { stallAfter }),
    ...(isAwaited && { isAwaited }),
    ...(onEnd && { onEnd }),
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
  }
}

function troubleWith({ path }: { readonly path: string }, error: unknown): string {
  return `watch "${path}": ${describe(error)}`
}

function describe(error: unknown): string {
  return error instanceof KubeError ? `${error.reason}: ${error.message}` : String(error)
}
