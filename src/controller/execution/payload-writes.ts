import type { Payload } from '../../render/payload.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { ConfigMapStore } from '../config-maps/config-map-store.ts'
import { ensurePayloads } from '../config-maps/payloads.ts'
import { payloadKey, type WriteFailures } from '../writes/write-failures.ts'

export interface PayloadWritesOptions {
  readonly store: ConfigMapStore
  /** For payloads of kind `secret`. Absent: there are none. */
  readonly secrets?: ConfigMapStore | undefined
  readonly failures: WriteFailures
  readonly now: () => Instant
}

/** Payloads that assignments are about to name: each is written once, however many nodes wait for it. */
export class PayloadWrites {
  readonly #options: PayloadWritesOptions
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(options: PayloadWritesOptions) {
    this.#options = options
  }

  /** @throws {PayloadNotWritten} when one of them is not there; which, and why, is noted in `failures` */
  async ensure(payloads: readonly Payload[], revision: string): Promise<void> {
    for (const payload of payloads) {
      const before = this.#underWay.get(payload.name)
      const write = before ?? this.#write(payload, revision).finally(() => this.#underWay.delete(payload.name))
      if (!before) this.#underWay.set(payload.name, write)
      await write
    }
  }

  async #write(payload: Payload, revision: string): Promise<void> {
    const { failures, now } = this.#options
    const object = payloadKey(payload.name)
    try {
      const store = this.#storeFor(payload)
      await ensurePayloads(store, { payloads: new Map([[payload.name, payload]]), revision })
      failures.ended(object)
    } catch (error) {
      failures.failed(object, { error, about: payload.pool, now: now() })
      throw new PayloadNotWritten(payload.name, { cause: error })
    }
  }

  #storeFor({ kind }: Payload): ConfigMapStore {
    const { store, secrets } = this.#options
    if (kind !== 'secret') return store
    if (secrets) return secrets
    throw new Error('the controller writes no Secrets without --age-key-file')
  }
}

export class PayloadNotWritten extends Error {
  override readonly name = 'PayloadNotWritten'

  constructor(name: string, options: { readonly cause: unknown }) {
    super(`write payload "${name}": ${options.cause instanceof Error ? options.cause.message : options.cause}`, options)
  }
}
