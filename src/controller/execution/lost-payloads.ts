import type { Instant } from '../../rollout/model/instant.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import type { StoredConfigMap } from '../cache/stored-config-map.ts'
import { isAsMeant } from '../config-maps/payloads.ts'
import type { RenderedConfig } from '../fleet/compiled-fleet.ts'
import type { PayloadAccess } from '../payload-access/payload-access.ts'
import { readablesOf } from '../payload-access/readables-of.ts'
import { forEach, throwFirst } from '../writes/for-each.ts'
import { payloadKey, type WriteFailures } from '../writes/write-failures.ts'
import { WriteLimit } from '../writes/write-limit.ts'
import { PayloadNotWritten, type PayloadWrites } from './payload-writes.ts'

/** Rights that nodes share are written for all of these at once. */
const IN_FLIGHT = 16

type Kept = { get(name: string): StoredConfigMap | undefined }

export interface LostPayloadsOptions {
  readonly payloads: Pick<PayloadWrites, 'ensure'>
  readonly access: Pick<PayloadAccess, 'isGranted' | 'restore'> | undefined
  readonly cluster: {
    readonly payloads: Kept
    readonly secrets: Kept
  }
  readonly failures: Pick<WriteFailures, 'mayTry'>
  readonly now: () => Instant
}

/** A node whose agent cannot read what it was assigned. */
export interface CutOff {
  readonly node: ClusterNode
  readonly revision: string
  readonly config: RenderedConfig
}

export interface LostFrom {
  readonly rendered: (node: ClusterNode, revision: string) => RenderedConfig | undefined
  readonly now: Instant
}

/**
 * Somebody deleted or changed a payload, or the right to read it, while agents were about to read it: it is written again at once. They try
 * again until their time is over, and a good commit would fail.
 */
export class LostPayloads {
  readonly #options: LostPayloadsOptions
  /** Somebody may delete them each time. */
  readonly #limit = new WriteLimit()

  constructor(options: LostPayloadsOptions) {
    this.#options = options
  }

  /**
   * As far as the watches tell; none of what the server refused a moment ago.
   * @param toRead nodes of one pool whose agents are about to read
   */
  of(toRead: readonly ClusterNode[], { rendered, now }: LostFrom): readonly CutOff[] {
    const { failures } = this.#options
    this.#limit.forgetOld(now)
    return toRead.flatMap((node) => {
      const { name, view } = node
      const { assigned } = view
      if (assigned === undefined) return []
      const config = rendered(node, assigned.revision)
      if (config?.digest !== assigned.digest || this.#isReadable(node, config) || !this.#limit.mayWrite(name)) return []
      const mayTry = config.payloads.every((payload) => failures.mayTry(payloadKey(payload.name), now))
      return mayTry ? [{ node, revision: assigned.revision, config }] : []
    })
  }

  /**
   * @returns whether that was all: what was refused is noted, and the pool shows it in the next pass
   * @throws {Error} when rights are refused; those of other nodes are written
   */
  async restore(cutOff: readonly CutOff[]): Promise<{ readonly isDone: boolean }> {
    let isDone = true
    const failed = await forEach(cutOff, { atOnce: IN_FLIGHT }, async ({ node, revision, config }) => {
      try {
        await this.#options.payloads.ensure(config.payloads, revision)
      } catch (error) {
        if (!(error instanceof PayloadNotWritten)) throw error
        isDone = false
        return
      }
      await this.#options.access?.restore(node, readablesOf(config))
      this.#limit.wrote(node.name, this.#options.now())
    })
    throwFirst([...failed.values()])
    return { isDone }
  }

  #isReadable(node: ClusterNode, config: RenderedConfig): boolean {
    const { access, cluster } = this.#options
    const isKept = config.payloads.every((payload) => {
      const known = (payload.kind === 'secret' ? cluster.secrets : cluster.payloads).get(payload.name)
      return known !== undefined && isAsMeant(known, payload)
    })
    return isKept && access?.isGranted(node, readablesOf(config)) !== false
  }
}
