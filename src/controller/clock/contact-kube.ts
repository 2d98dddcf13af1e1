import { type FollowOptions, type KubeApi, KubeError } from '../../kube/kube-api.ts'
import type { Clock } from './clock.ts'
import type { Contact } from './contact.ts'
import { isOutage, type OutageLog } from './outage-log.ts'

const REQUESTS = 'requests'
/** How often to ask whether the server is there again, in milliseconds. */
const ASK_AGAIN = 2_000

export interface ContactKubeOptions {
  readonly contact: Contact
  readonly clock: Clock
  readonly outage: OutageLog
  readonly signal: AbortSignal
  /** Called when the server answers again. */
  readonly restored: () => void
}

/**
 * Notes of each request whether the server had an answer. Once it had none it is asked again until it has: where nothing is to be written,
 * nobody else would find out. That, and the trouble of watches, is logged here.
 */
export function contactKube(kube: KubeApi, { contact, clock, outage, signal, restored }: ContactKubeOptions): KubeApi {
  const answered = (): void => {
    const wasLost = contact.isLost(REQUESTS)
    contact.restored(REQUESTS, clock.now())
    if (!wasLost) return
    outage.ended()
    restored()
  }
  const failed = (error: unknown): void => {
    // Who gives up a request of theirs says nothing about the server.
    if (!(error instanceof KubeError)) return
    if (!isOutage(error)) answered()
    else if (!contact.isLost(REQUESTS)) {
      contact.lost(REQUESTS, clock.now())
      outage.trouble('request', error)
      void askAgain()
    }
  }
  const askAgain = async (): Promise<void> => {
    while (!signal.aborted && contact.isLost(REQUESTS)) {
      await clock.sleepUntil(clock.now() + ASK_AGAIN, signal)
      if (!signal.aborted && contact.isLost(REQUESTS)) await noted(kube.get('/version', { signal })).catch(() => undefined)
    }
  }
  const noted = async <T>(request: Promise<T>): Promise<T> => {
    try {
      const answer = await request
      answered()
      return answer
    } catch (error) {
      failed(error)
      throw error
    }
  }
  const logged = <T>(path: string, { onOpen, onTrouble, ...options }: FollowOptions<T>): FollowOptions<T> => ({
    ...options,
    onOpen: () => {
      outage.ended()
      onOpen?.()
    },
    onTrouble: (error) => {
      outage.trouble(`watch "${path}"`, error)
      onTrouble?.(error)
    },
  })
  return {
    get: (path, options) => noted(kube.get(path, options)),
    create: (path, body, options) => noted(kube.create(path, body, options)),
    replace: (path, body, options) => noted(kube.replace(path, body, options)),
    patch: (path, body, options) => noted(kube.patch(path, body, options)),
    delete: (path, options) => noted(kube.delete(path, options)),
    list: (path, options) => noted(kube.list(path, options)),
    follow: (path, options) => kube.follow(path, logged(path, options)),
  }
}
