import { type KubeApi, KubeError, type KubeObject, unlessMissing } from '../../kube/kube-api.ts'
import { PUSH_LEASE } from '../../protocol/names.ts'
import { leasesPath, microTime } from '../leadership/lease.ts'
import type { Log } from '../log/log.ts'

export interface SharedPushesOptions {
  readonly kube: KubeApi
  /** Of the Lease. */
  readonly namespace: string
  readonly now: () => number
  readonly log: Log
  /** Somebody pushed, says another controller or this one. */
  readonly onPush: () => void
  readonly signal: AbortSignal
}

/** A conflict means that another controller has just written it. */
const ATTEMPTS = 5

/**
 * A forge delivers a push to one of several controllers, which need not be the one that leads. That one writes the time into a Lease that
 * all of them watch.
 */
export class SharedPushes {
  readonly #options: SharedPushesOptions

  constructor(options: SharedPushesOptions) {
    this.#options = options
  }

  /** Never throws: without it, the next poll finds the push. */
  async announce(): Promise<void> {
    try {
      await this.#write(ATTEMPTS)
    } catch (error) {
      this.#options.log('warn', `webhook: tell the other controllers of a push: ${String(error)}`)
    }
  }

  /** Ends by the signal. */
  async follow(): Promise<void> {
    const { kube, namespace, signal, onPush, log } = this.#options
    const options = { fieldSelector: `metadata.name=${PUSH_LEASE}`, signal, project: ({ metadata }: KubeObject) => metadata.name }
    try {
      // What is there at the start was said before this controller began, or while it was cut off: a look costs nothing.
      for await (const event of kube.follow(leasesPath(namespace), options)) if (event.type !== 'delete') onPush()
    } catch (error) {
      if (!signal.aborted) log('warn', `webhook: watch for pushes that others received: ${String(error)}`)
    }
  }

  async #write(attempts: number): Promise<void> {
    const { kube, namespace, now } = this.#options
    const path = `${leasesPath(namespace)}/${PUSH_LEASE}`
    const found = await kube.get<KubeObject>(path).catch(unlessMissing)
    const metadata = found?.metadata ?? { name: PUSH_LEASE, namespace }
    const spec = { renewTime: microTime(now()) }
    try {
      await kube.replace(path, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec })
    } catch (error) {
      if (attempts === 1 || !(error instanceof KubeError && error.reaction === 'conflict')) throw error
      await this.#write(attempts - 1)
    }
  }
}
