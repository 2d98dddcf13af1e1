/**
 * What the rest of the project needs of a Kubernetes API server. `kube-client.ts` speaks to a real one over HTTPS;
 * tests have a fake. Paths are as in the API reference: `/api/v1/nodes/a`.
 */
export interface KubeApi {
  get<T>(path: string, options?: RequestOptions): Promise<T>
  create<T>(path: string, body: unknown, options?: RequestOptions): Promise<T>
  replace<T>(path: string, body: unknown, options?: RequestOptions): Promise<T>
  /** Default: JSON merge patch, only our own keys, so that nobody's write is lost. */
  patch<T>(path: string, body: unknown, options?: RequestOptions & { readonly type?: PatchType }): Promise<T>
  delete(path: string, options?: RequestOptions & { readonly body?: unknown }): Promise<void>
  /** All items, page by page; each is projected as it arrives, so that only what is kept costs memory. */
  list<T>(path: string, options: ListOptions<T>): Promise<{ readonly items: T[]; readonly resourceVersion: string }>
  /**
   * Lists, then watches for ever: a closed connection, 410, 429, 5xx and a silent stall are survived, with backoff and jitter.
   * Ends only by `signal`, or with a `KubeError` that no retry can mend (401, 403, 404 of the collection).
   */
  follow<T>(path: string, options: FollowOptions<T>): AsyncIterable<FollowEvent<T>>
}

export type PatchType = 'merge' | 'json' | 'strategic' | 'apply'

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** Milliseconds; the default is 30,000. */
  readonly timeout?: number
  /** Not over a connection that stands: a firewall may let those pass, and no new one. Default: false. */
  readonly newConnection?: boolean
}

export interface ListOptions<T> extends RequestOptions {
  readonly project: (object: KubeObject) => T
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Items a page; the default is 100. */
  readonly limit?: number
}

export interface FollowOptions<T> extends Omit<ListOptions<T>, 'timeout'> {
  /** Milliseconds without a byte (bookmarks come every minute) after which the watch counts as stalled; the default is 75,000. */
  readonly stallAfter?: number
  /**
   * Whether a change is waited for. Then a watch that is silent for 15 s is compared with a second one, which lasts a second: when that tells of
   * a change, the first has stalled. Absent: never.
   */
  readonly isAwaited?: () => boolean
  /**
   * One request instead of two: the watch itself begins with what is there. For small collections, since all of it is kept until it is
   * complete; a server that does not know this is asked for a list, as usual.
   */
  readonly streamed?: boolean
  /** Called before each request whose answer is a `sync`: what is written from then on may be missing in it. */
  readonly onList?: () => void
  /** Called with every failure that is retried. */
  readonly onTrouble?: (error: unknown) => void
  /** Called each time the server has ended a watch, as it does every few minutes: until the next one stands nothing is heard. */
  readonly onEnd?: () => void
  /** Called each time a watch stands, at first and after every break: whoever waits for the server may ask it again. */
  readonly onOpen?: () => void
}

/** `sync` replaces everything known before: it is the full list, at start and again after 410. */
export type FollowEvent<T> =
  | {
      readonly type: 'sync'
      readonly items: readonly T[] /** Of the list; absent: unknown. */
      readonly resourceVersion?: string
    }
  | { readonly type: 'upsert'; readonly item: T }
  | {
      readonly type: 'delete'
      readonly name: string
      readonly namespace: string
      /** Of the deletion; absent: unknown. */
      readonly resourceVersion?: string
    }

export interface KubeObject {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: ObjectMeta
  readonly [key: string]: unknown
}

export interface ObjectMeta {
  readonly name: string
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly [key: string]: unknown
}

/** Reason of the trouble of a `follow` to which the server shows an older state than before: etcd was restored from a backup. */
export const RESTORED = 'Restored'

/** What the server answered, as the Status object it sent. Its `reaction` says what to do; the text is for people. */
export class KubeError extends Error {
  override readonly name = 'KubeError'
  /** HTTP status; 0 when no answer came at all. */
  readonly code: number
  /** `NotFound`, `Conflict`, `AlreadyExists`, `Invalid`, `Forbidden`, `Expired`, `TooManyRequests`, `Unreachable`, … */
  readonly reason: string
  /** Seconds the server asked to wait, if it did. */
  readonly retryAfter: number | undefined
  /** Of a watch that fell silent: milliseconds from its last byte until that was noticed. */
  readonly silentFor: number | undefined
  /** No answer came in time, and yet the server was met: it has proved on a new connection who it is, or has begun to answer. */
  readonly wasMet: boolean

  constructor(
    message: string,
    details: {
      code: number
      reason: string
      retryAfter?: number | undefined
      silentFor?: number | undefined
      wasMet?: boolean | undefined
      cause?: unknown
    },
  ) {
    super(message, { cause: details.cause })
    this.code = details.code
    this.reason = details.reason
    this.retryAfter = details.retryAfter
    this.silentFor = details.silentFor
    this.wasMet = details.wasMet ?? false
  }

  /**
   * Whether the server is out of reach, or has no time for us: then other requests would fare no better now. 500 is no such answer: it speaks
   * of this request alone, for which a webhook failed, say.
   */
  get isAway(): boolean {
    return this.code === 0 || this.code === 429 || this.code > 500
  }

  /** retry: the same request may pass later. conflict: read again, decide again. refuse: it never will. */
  get reaction(): 'retry' | 'conflict' | 'refuse' {
    if (this.code === 0 || this.code === 429 || this.code >= 500) return 'retry'
    return this.code === 409 || this.code === 410 ? 'conflict' : 'refuse'
  }
}

/** For `catch`: an object that is not there is undefined. @throws every other error */
export function unlessMissing(error: unknown): undefined {
  if (!(error instanceof KubeError && error.code === 404)) throw error
}
