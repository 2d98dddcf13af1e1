import type { KubeApi, KubeObject } from '../../kube/kube-api.ts'
import { KubeError } from '../../kube/kube-api.ts'
import type { Names } from '../../protocol/names.ts'
import type { Action } from '../../rollout/model/decision.ts'
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
import type { RestoreSettings } from '../node-settings/restore-settings.ts'
import type { PayloadAccess } from '../payload-access/payload-access.ts'
import { readablesOf } from '../payload-access/readables-of.ts'
import type { AssignmentSigner } from '../signing/assignment-signer.ts'
import type { SignNode } from '../signing/sign-node.ts'
import {
  labelKey,
  nodeKey,
  payloadKey,
  settingsKey,
  signatureKey,
  type WriteFailures,
  type WrittenObject,
} from '../writes/write-failures.ts'
import type { WriteLimit } from '../writes/write-limit.ts'
import type { AssumedNodes } from './assumed-nodes.ts'
import type { LabelPool, NodeAction, NodePatch } from './node-patch.ts'
import {
  assignPatch,
  byHandPatch,
  clearRebootPatch,
  cordonPatch,
  labelPatch,
  proofPatch,
  restorePatch,
  signPatch,
  uncordonPatch,
} from './node-patch.ts'
import { PayloadNotWritten, type PayloadWrites } from './payload-writes.ts'
import type { QueueWaits } from './queue-waits.ts'
import { type Answered, refuseLoss } from './refuse-loss.ts'
import type { WriteQueue } from './write-queue.ts'

/** Attempts to lift a cordon whose mark is not kept. */
const MOST_LIFTS = 5

/** What no decision is made upon. */
type UnassumedAction = LabelPool | SignNode | RestoreSettings
const UNASSUMED: ReadonlySet<QueuedAction['kind']> = new Set(['label', 'sign', 'restore'] satisfies UnassumedAction['kind'][])

/** What is done to one node or pod. */
export type QueuedAction = NodeAction | UnassumedAction | Extract<Action, { kind: 'evict' }>

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
  async #patch({ node, config }: PlannedWrite, action: NodeAction | UnassumedAction): Promise<void> {
    const { kube, clock, cluster, payloads, access, assumed, drains, settings, limits = {} } = this.#options
    if (action.kind === 'assign' && config) {
      await payloads.ensure(config.payloads, action.revision)
      await access?.ensure(node, readablesOf(config))
    }
    const latest = cluster.nodes.get(node.name)
    const body = latest?.view === node.view ? this.#patchFor(action, latest, config) : undefined
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

  /** @throws {Error} as `refuseLoss`. A cordon without its mark would count as somebody else's, and stay for ever: it is lifted before. */
  async #refuseLoss(action: NodeAction | UnassumedAction, answered: Answered): Promise<void> {
    try {
      refuseLoss(action, answered)
    } catch (loss) {
      const { view } = answered.node
      if (action.kind === 'cordon' && action.mark.state === 'Ours' && view.unschedulable && view.mark === undefined)
        await this.#lift(answered.node)
      throw loss
    }
  }

  /** Others write to a node that was cordoned a moment ago: Kubernetes adds a taint to it. */
  async #lift({ name }: ClusterNode): Promise<void> {
    const { log } = this.#options
    try {
      for (let attempt = 1; !(await this.#liftOnce(name)); attempt += 1) {
        if (attempt === MOST_LIFTS) throw new Error(`others wrote to the node each of ${MOST_LIFTS} times`)
        await refreshNode(name, this.#options)
      }
    } catch (error) {
      log('warn', `uncordon "${name}", whose mark the API server does not keep: ${(error as Error).message}`)
    }
  }

  /** @returns false when another has written to the node meanwhile */
  async #liftOnce(name: string): Promise<boolean> {
    const { kube, cluster, settings } = this.#options
    const node = cluster.nodes.get(name)
    if (!node?.view.unschedulable || node.view.mark !== undefined) return true
    const context = { names: settings.names, resourceVersion: node.resourceVersion }
    const body = uncordonPatch({ kind: 'uncordon', node: name, lifts: true }, context)
    try {
      cluster.nodes.wrote(cluster.readNode(await kube.patch<KubeObject>(`/api/v1/nodes/${name}`, body)))
      return true
    } catch (error) {
      if (error instanceof KubeError && error.reaction === 'conflict') return false
      throw error
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

  #patchFor(action: NodeAction | UnassumedAction, node: ClusterNode, config: RenderedConfig | undefined): NodePatch | undefined {
    const context = { names: this.#options.settings.names, resourceVersion: node.resourceVersion }
    if (action.kind === 'label') return labelPatch(action, context)
    if (action.kind === 'restore') return restorePatch(action, { ...context, node })
    if (action.kind === 'cordon') return cordonPatch(action, context)
    if (action.kind === 'uncordon') return uncordonPatch(action, context)
    if (action.kind === 'allowByHand') return byHandPatch(action, context)
    if (action.kind === 'clearReboot') return clearRebootPatch(context)
    if (action.kind === 'recordProof') return proofPatch(action, { ...context, node })
    if (config?.digest !== action.digest) return undefined
    const { signer, clock, cluster } = this.#options
    const ceiling = cluster.ceilings.get(CEILING_NAME)?.ceiling
    const assigning = { ...context, rendered: config, node, ceiling, signer, now: clock.now() }
    return action.kind === 'sign' ? signPatch(action, assigning) : assignPatch(action, assigning)
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
    const mayHaveArrived = failure?.isAway === true && !failures.refusal(failureKeyOf(action))
    if (failure && mayHaveArrived && action.kind !== 'evict') assumed.doubt(action.node, failure)
    else this.withdraw(write)
  }
}

function isUnassumed(action: QueuedAction): action is UnassumedAction {
  return UNASSUMED.has(action.kind)
}

function aboutOf(action: QueuedAction): string {
  if (action.kind === 'assign') return action.digest
  return action.kind === 'cordon' ? action.mark.digest : action.kind
}

function objectOf(action: QueuedAction): WrittenObject {
  return action.kind === 'evict' ? `pod ${action.pod.uid}` : nodeKey(action.node)
}

const OWN_KEY = { restore: settingsKey, label: labelKey, sign: signatureKey }

/** What no decision is made upon keeps the node from no assignment when the server refuses it: the next one may be what mends it. */
function failureKeyOf(action: QueuedAction): WrittenObject {
  return isUnassumed(action) ? OWN_KEY[action.kind](action.node) : objectOf(action)
}

function nameOf(action: QueuedAction): string {
  return action.kind === 'evict' ? `${action.pod.namespace}/${action.pod.name}` : action.node
}
