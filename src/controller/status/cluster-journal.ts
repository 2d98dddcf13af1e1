import type { NodePoolStatus } from '../../protocol/node-pool.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { NodePoolView } from '../cache/node-pool-view.ts'
import type { ObjectCache } from '../cache/object-cache.ts'
import type { EventRecorder, ObjectEvent } from '../events/event-recorder.ts'
import { eventsOfDecision, poolRestored } from '../events/object-events.ts'
import type { PoolJournal, PoolWork } from '../execution/pool-journal.ts'
import type { PoolMirror } from '../node-pools/mirror-pools.ts'
import type { Rejections } from '../revisions/rejections.ts'
import { copyKey, type WriteFailures } from '../writes/write-failures.ts'
import { asStored } from './complete-status.ts'
import type { ConfirmedSteps } from './confirmed-steps.ts'
import type { DatedStatus, StatusWriter } from './status-writer.ts'

export interface ClusterJournalOptions {
  readonly pools: ObjectCache<NodePoolView>
  readonly mirror: PoolMirror
  readonly statuses: StatusWriter
  readonly rejections: Rejections
  readonly events: EventRecorder
  readonly steps: Pick<ConfirmedSteps, 'isOpen' | 'confirm'>
  readonly failures: Pick<WriteFailures, 'mayTry'>
}

/** A pool's NodePool object: its spec mirrors the repository, its status remembers the rollout. */
export class ClusterJournal implements PoolJournal {
  readonly #options: ClusterJournalOptions
  readonly #assumed = new Map<string, { readonly before: NodePoolView; readonly after: NodePoolView }>()
  /** Statuses whose nodes were read, and that were not written yet, perhaps because the server refuses them. */
  readonly #confirmed = new Map<string, { readonly uid: string; readonly status: NodePoolStatus }>()

  constructor(options: ClusterJournalOptions) {
    this.#options = options
  }

  /** The object as it is once the write under way has arrived. */
  viewOf(pool: string): NodePoolView | undefined {
    const view = this.#options.pools.get(pool)
    const assumed = this.#assumed.get(pool)
    if (assumed && assumed.before === view) return assumed.after
    return view && this.#options.statuses.completed(view)
  }

  /** The status that its nodes have confirmed last. Another one may be in the cluster, which counts for all but for what failed. */
  confirmedOf(pool: string): Partial<NodePoolStatus> {
    const view = this.#options.pools.get(pool)
    const confirmed = this.#confirmed.get(pool)
    return confirmed && confirmed.uid === view?.uid ? confirmed.status : (view?.status ?? {})
  }

  dueAt(pool: string, { compiled, decision: { status }, now }: PoolWork): Instant | undefined {
    const { mirror, statuses } = this.#options
    if (!mirror.isMirrored(compiled) || this.#isCopyDue(pool, status, now)) return now
    return statuses.dueAt(pool, { status, now })
  }

  isNews(pool: string, { compiled, decision: { status }, now }: PoolWork): boolean {
    const { mirror, statuses } = this.#options
    return statuses.isNews(pool, status) || !mirror.isMirrored(compiled) || this.#isCopyDue(pool, status, now)
  }

  #isCopyDue(pool: string, { rejected }: Pick<NodePoolStatus, 'rejected'>, now: Instant): boolean {
    const { rejections, failures } = this.#options
    return !rejections.isKept(pool, rejected) && failures.mayTry(copyKey(pool), now)
  }

  isOpen(pool: string, { decision: { status } }: PoolWork): boolean {
    return this.#options.steps.isOpen(pool, this.#stepsTo(pool, status))
  }

  #stepsTo(pool: string, after: NodePoolStatus): Parameters<ConfirmedSteps['confirm']>[1] {
    return { before: this.#options.pools.get(pool)?.status ?? {}, after }
  }

  assume(pool: string, status: NodePoolStatus): void {
    const before = this.#options.pools.get(pool)
    if (before) this.#assumed.set(pool, { before, after: { ...before, status } })
  }

  withdraw(pool: string): void {
    this.#assumed.delete(pool)
  }

  confirm(pool: string, { decision: { status } }: PoolWork): Promise<boolean> {
    return this.#options.steps.confirm(pool, this.#stepsTo(pool, status))
  }

  async write(pool: string, { compiled, decision, now }: PoolWork): Promise<boolean> {
    const { mirror, statuses, events, pools } = this.#options
    this.#confirmed.set(pool, { uid: pools.get(pool)?.uid ?? '', status: decision.status })
    if (!mirror.isMirrored(compiled)) {
      const { undoes } = await mirror.mirror(compiled)
      if (undoes) this.#record([poolRestored(this.#objectOf(pool), undoes)], now)
      return false
    }
    await statuses.write(pool, { status: decision.status, now })
    this.#confirmed.delete(pool)
    void events.recordOnce(eventsOfDecision(decision, this.#objectOf(pool)), now)
    return true
  }

  /** What the pool shows while nothing is decided about it. */
  async show(pool: string, { status, now }: DatedStatus): Promise<{ readonly isDone: true }> {
    await this.#options.statuses.write(pool, { status: asStored(status), now })
    return { isDone: true }
  }

  /** A second copy of what the status says already: nodes that must go back do not wait for it. */
  async afterwards(pool: string, { decision }: PoolWork): Promise<void> {
    await this.#options.rejections.keep(pool, decision.status.rejected)
  }

  #record(events: readonly ObjectEvent[], now: Instant): void {
    void this.#options.events.recordOnce(events, now)
  }

  #objectOf(pool: string): ObjectEvent['object'] {
    return { kind: 'NodePool', name: pool, uid: this.#options.pools.get(pool)?.uid ?? '' }
  }
}
