import type { FollowEvent, KubeApi } from '../../kube/kube-api.ts'
import { KubeError } from '../../kube/kube-api.ts'
import type { Clock } from '../clock/clock.ts'
import { CEILING_NAME, CEILINGS_PATH, type CeilingView, projectCeiling } from './ceiling-schema.ts'
import type { ObjectCache } from './object-cache.ts'

export interface ConfirmedCeilingsOptions {
  readonly kube: KubeApi
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly ceilings: ObjectCache<CeilingView>
}

/** Milliseconds. A server that deletes a kind deletes its objects first, and gives an empty list for a moment. */
const CONFIRM_AFTER = 5_000

/**
 * What the watch of Ceilings tells. A Ceiling that somebody deleted limits nothing; one that is gone because its kind is, as after a deletion
 * of all that was installed, limits everything until it is back. So a deletion counts only when a list confirms it.
 */
export class ConfirmedCeilings {
  readonly #options: ConfirmedCeilingsOptions
  /** How often the watch told of a Ceiling that is there. */
  #heard = 0

  constructor(options: ConfirmedCeilingsOptions) {
    this.#options = options
  }

  observe(event: FollowEvent<CeilingView>): void {
    if (this.#isGone(event)) return void this.#confirm()
    this.#heard += 1
    this.#options.ceilings.observe(event)
  }

  listing(): void {
    this.#options.ceilings.listing()
  }

  catchUp(list: () => Promise<readonly CeilingView[]>): Promise<boolean> {
    return this.#options.ceilings.catchUp(list)
  }

  /** The server does not give the collection. */
  refused(error: unknown): void {
    const why = error instanceof Error ? error.message : String(error)
    const ceiling = { rules: [], unreadable: why, remedy: 'apply deploy/crds/ceilings.yaml and deploy/controller-rbac.yaml' }
    const item = { name: CEILING_NAME, namespace: '' as const, resourceVersion: '', ceiling }
    this.#options.ceilings.observe({ type: 'sync', items: [item] })
  }

  #isGone(event: FollowEvent<CeilingView>): boolean {
    const isKnown = this.#options.ceilings.get(CEILING_NAME) !== undefined
    return event.type === 'delete' || (event.type === 'sync' && isKnown && event.items.length === 0)
  }

  /** What was known holds until the server has answered. The watch may never notice that the kind was gone for a moment. */
  async #confirm(): Promise<void> {
    const { kube, clock, signal, ceilings } = this.#options
    while (!signal.aborted) {
      await clock.sleepUntil(clock.now() + CONFIRM_AFTER, signal)
      const heard = this.#heard
      try {
        const { items, resourceVersion } = await kube.list(CEILINGS_PATH, { project: projectCeiling, signal })
        // What was heard meanwhile may be newer than the list: then that is read again.
        if (this.#heard === heard) return ceilings.observe({ type: 'sync', items, resourceVersion })
      } catch (error) {
        if (error instanceof KubeError && error.reaction === 'refuse') this.refused(error)
      }
    }
  }
}
