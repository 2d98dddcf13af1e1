import type { KubeApi, KubeObject } from '../../kube/kube-api.ts'
import { KubeError } from '../../kube/kube-api.ts'
import type { Names } from '../../protocol/names.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import { CEILING_NAME } from '../cache/ceiling-schema.ts'
import type { ClusterCache } from '../cache/cluster-cache.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import { refreshNode } from '../cache/refresh-nodes.ts'
import type { Clock } from '../clock/clock.ts'
import type { DrainWatch } from '../drain/drain-watch.ts'
import { evict } from '../drain/evict.ts'
import type { EvictionAnswers } from '../drain/eviction-answers.ts'
import type { RenderedConfig } from '../fleet/compiled-fleet.ts'
import type { Log } from '../log/log.ts'
import type { PayloadAccess } from '../payload-access/payload-access.ts'
import { readablesOf } from '../payload-access/readables-of.ts'
import type { AssignmentSigner } from '../signing/assignment-signer.ts'
import { payloadKey, type WriteFailures, type WrittenObject } from '../writes/write-failures.ts'
import type { WriteLimit } from '../writes/write-limit.ts'
import type { AssumedNodes } from './assumed-nodes.ts'
import { type NodePatch, wantedProof } from './node-patch.ts'
import { patchFor } from './patch-for.ts'
import { PayloadNotWritten, type PayloadWrites } from './payload-writes.ts'
import type { QueueWaits } from './queue-waits.ts'
import { aboutOf, failureKeyOf, isUnassumed, nameOf, objectOf, type PatchAction, type QueuedAction } from './queued-action.ts'
import { type Answered, refuseLoss } from './refuse-loss.ts'
import type { UnkeptProofs } from './unkept-proofs.ts'
import type { UnmarkedCordons } from './unmarked-cordons.ts'
import type { WriteQueue } from './write-queue.ts'

export interface NodeWritesOptions {
  readonly kube: KubeApi
  readonly clock: Clock
  readonly log: Log
  readonly settings: { readonly names: Names }
  readonly cluster: Pick<ClusterCache, 'nodes' | 'readNode' | 'ceilings'>
  readonly answers: EvictionAnswers
  readonly drains: Pick<DrainWatch, 'begin'>
  readonly queue: WriteQueue
  /** Absent: nobody asks. */
  readonly waits?: QueueWaits | undefined
  readonly assumed: AssumedNodes
  readonly failures: WriteFailures
  readonly payloads: PayloadWrites
  readonly cordons: Pick<UnmarkedCordons, 'lift'>
  readonly unkeptProofs: Pick<UnkeptProofs, 'add' | 'of'>
  /** Absent: assignments are not signed. */
  readonly signer?: AssignmentSigner | undefined
  /** Absent: somebody else says who may read payloads. */
  readonly access?: Pick<PayloadAccess, 'ensure'> | undefined
  /** Of writes that are limited in number. */
  readonly limits?: Partial<Readonly<Record<QueuedAction['kind'], WriteLimit>>>
}

export interface PlannedWrite {
  readonly pool: string
  readonly action: QueuedAction
  /** The node as the decision saw it. */
  readonly node: ClusterNode
  /** Of an assignment. */
  readonly config?: RenderedConfig
}

/**
 * Writes to nodes, and evictions: each on its own, so that one that is slow or refused keeps no other from going on. What is under way is
 * assumed; what has failed is left alone for a while.
 */
export class NodeWrites {
  readonly #options: NodeWritesOptions
  readonly #underWay = new Set<WrittenObject>()

  constructor(options: NodeWritesOptions) {
    this.#options = options
  }

  /** Nothing is under way for it, and what it needs has not failed a moment ago. */
  mayBegin({ action, config }: Pick<PlannedWrite, 'action' | 'config'>, now: Instant): boolean {
    const { failures, assumed } = this.#options
    const object = objectOf(action)
    if (this.#underWay.has(object) || assumed.has(action.node) || !failures.mayTry(failureKeyOf(action), now)) return false
    return (config?.payloads ?? []).every(({ name }) => failures.mayTry(payloadKey(name), now))
  }

  /** Everything that was begun for the pool was sent. */
  isSent(pool: string): boolean {
    return !this.#options.queue.isWaiting(pool)
  }

  /** What was not sent yet is not meant any more: the next decision says what is. */
  recall(): void {
    this.#options.queue.recall()
    this.#options.waits?.recalled()
  }

  /** From now on it counts as done. */
  assume({ action, node, pool }: PlannedWrite): void {
    const { assumed, answers } = this.#options
    if (action.kind === 'evict') answers.asked(action.pod.uid)
    else if (!isUnassumed(action)) assumed.assume(node, action, pool)
  }

  withdraw({ action }: Pick<PlannedWrite, 'action'>): void {
    const { assumed, answers } = this.#options
    if (action.kind === 'evict') answers.unanswered(action.pod.uid)
    else assumed.end(action.node)
  }

  /** @param ended called when it was carried out, or failed */
  begin(write: PlannedWrite, ended: () => void): void {
    const { pool, action } = write
    const { queue, waits } = this.#options
    const object = objectOf(action)
    this.#underWay.add(object)
    waits?.queued(object)
    queue.push({
      pool,
      first: action.kind === 'uncordon',
      send: async () => {
        waits?.sent(object)
        await this.#send(write)
        this.#underWay.delete(object)
        ended()
      },
      recalled: () => {
        this.withdraw(write)
        this.#underWay.delete(object)
      },
    })
  }

  async #send(write: PlannedWrite): Promise<void> {
    const { failures } = this.#options
    try {
      if (write.action.kind === 'evict') await evict(this.#options, write.action)
      else await this.#patch(write, write.action)
      failures.ended(failureKeyOf(write.action))
    } catch (error) {
      this.#failed(write, error)
    }
  }

  /** A node that changed since the decision is passed over: that change has asked for another one. */
  async #patch({ node, config }: PlannedWrite, action: PatchAction): Promise<void> {
    const { kube, clock, cluster, payloads, access, assumed, unkeptProofs, drains, settings, limits = {} } = this.#options
    if (action.kind === 'assign' && config) {
      await payloads.ensure(config.payloads, action.revision)
      await access?.ensure(node, readablesOf(config))
    }
    const latest = cluster.nodes.get(node.name)
    const body = latest && unkeptProofs.of(latest).view === node.view ? this.#patchFor(action, latest, config) : undefined
    try {
      const written = body && cluster.readNode(await kube.patch<KubeObject>(`/api/v1/nodes/${node.name}`, body))
      if (written) cluster.nodes.wrote(written)
      if (written) await this.#refuseLoss(action, { sent: body.metadata.resourceVersion, node: written, names: settings.names })
      if (written) limits[action.kind]?.wrote(node.name, clock.now())
      if (body && action.kind === 'cordon') drains.begin(node.name)
      assumed.end(node.name)
    } catch (error) {
      if (!(error instanceof KubeError) || (error.reaction !== 'conflict' && error.code !== 404)) throw error
      if (body && !(await this.#hasChanged(node.name, body.metadata.resourceVersion))) throw error
      assumed.end(node.name)
    }
  }

  /** @throws {Error} as `refuseLoss`; a cordon whose mark is lost is lifted before, and a request for a proof that is lost is remembered */
  async #refuseLoss(action: PatchAction, answered: Answered): Promise<void> {
    try {
      refuseLoss(action, answered)
    } catch (loss) {
      const { view } = answered.node
      if (action.kind === 'cordon' && action.mark.state === 'Ours' && view.unschedulable && view.mark === undefined)
        await this.#options.cordons.lift(answered.node)
      const proof = action.kind === 'assign' ? wantedProof(action) : undefined
      if (proof) this.#options.unkeptProofs.add(answered.node.name, proof)
      throw loss
    }
  }

  /**
   * Whether a node is another than the one that a write was refused for, or gone. The watch may be behind, perhaps for long: what was refused
   * would be decided again and again, upon what is over.
   */
  async #hasChanged(name: string, refusedVersion: string): Promise<boolean> {
    const { nodes } = this.#options.cluster
    const isAsRefused = (): boolean => nodes.get(name)?.resourceVersion === refusedVersion
    nodes.refused(name, refusedVersion)
    if (isAsRefused()) await refreshNode(name, this.#options)
    return !isAsRefused()
  }

  #patchFor(action: PatchAction, node: ClusterNode, config: RenderedConfig | undefined): NodePatch | undefined {
    const { signer, clock, cluster, settings } = this.#options
    const ceiling = cluster.ceilings.get(CEILING_NAME)?.ceiling
    return patchFor(action, node, { names: settings.names, ceiling, signer, now: clock.now(), config })
  }

  #failed(write: PlannedWrite, error: unknown): void {
    const { assumed, failures, clock, log } = this.#options
    const { action } = write
    log('warn', `${action.kind} "${nameOf(action)}": ${(error as Error).message}`)
    // The payload has its own entry, which all nodes share that wait for it.
    const failure =
      error instanceof PayloadNotWritten
        ? undefined
        : failures.failed(failureKeyOf(action), { error, about: aboutOf(action), now: clock.now() })
    if (failure?.isAway !== true || action.kind === 'evict') this.withdraw(write)
    else if (failures.refusal(failureKeyOf(action))) assumed.giveUp(action.node)
    else assumed.doubt(action.node, failure)
  }
}
