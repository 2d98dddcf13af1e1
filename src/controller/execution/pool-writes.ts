import type { Action } from '../../rollout/model/decision.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { ProofWrite } from '../proof/proof-writes.ts'
import { forEach } from '../writes/for-each.ts'
import { controlKey, copyKey, poolKey, readKey, type WriteFailures, type WrittenObject } from '../writes/write-failures.ts'
import type { PlannedWrite } from './node-writes.ts'
import type { PoolJournal, PoolWork } from './pool-journal.ts'
import { type NodeWork, PoolNodeWrites, type PoolNodeWritesOptions } from './pool-node-writes.ts'

/** Unless the settings say otherwise. As many as are sent until the next pass, which decides again about those that were not. */
const ACTIONS_A_PASS = 128

export interface PoolWritesOptions {
  readonly journal: PoolJournal
  readonly nodeWrites: PoolNodeWritesOptions['nodeWrites']
  readonly failures: WriteFailures
  readonly askGate: (pool: string, action: Extract<Action, { kind: 'askGate' }>) => void
  readonly prove: (action: ProofWrite) => void
  readonly clearControl: (pool: string, action: Extract<Action, { kind: 'clearControl' }>) => Promise<void>
  readonly now: () => Instant
  readonly actionsAPass?: number | undefined
  /** Called when a write of the pool itself failed. */
  readonly failed: (object: WrittenObject, error: unknown) => void
  /** Called when it is time to decide again. */
  readonly changed: () => void
}

type ClearControl = Extract<Action, { kind: 'clearControl' }>

interface Lane {
  /** The status, or a control that is cleared. `first`: it goes before the actions of later decisions. */
  writing: 'nothing' | 'counts' | 'first'
  /** A pass came meanwhile, and had to leave its actions. */
  isAwaited: boolean
  /** Nodes that the newest decision uncordons. */
  uncordons: ReadonlySet<string>
}

interface Run {
  readonly lane: Lane
  readonly work: PoolWork
  readonly writes: readonly PlannedWrite[]
  readonly controls: readonly ClearControl[]
  /** The status is to be written. */
  readonly isDue: boolean
}

/**
 * Carries decisions out, each pool on its own. The status goes first: it is the journal, and a node that shows that a commit failed is
 * evidence only until it is assigned something else. Uncordons do not wait for it: they take nothing away that a later decision needs. But where
 * the nodes are read first, an uncordon may call off the drain of one for what has become of another.
 */
export class PoolWrites {
  readonly #options: PoolWritesOptions
  readonly #nodes: PoolNodeWrites
  readonly #lanes = new Map<string, Lane>()
  readonly #running = new Set<Promise<void>>()

  constructor(options: PoolWritesOptions) {
    this.#options = options
    this.#nodes = new PoolNodeWrites(options)
  }

  /** Begins, and does not wait. @returns when to decide again though nothing changes */
  begin(pool: string, work: PoolWork): Instant | undefined {
    const lane = this.#laneOf(pool)
    lane.uncordons = new Set(work.decision.actions.flatMap((action) => (action.kind === 'uncordon' ? action.node : [])))
    for (const action of work.decision.actions) {
      if (action.kind === 'askGate') this.#options.askGate(pool, action)
      if (action.kind === 'startProof' || action.kind === 'removeProof') this.#options.prove(action)
    }
    const isOpen = this.#options.journal.isOpen(pool, work)
    if (!isOpen) this.#uncordon(pool, work)
    if (lane.writing !== 'nothing' && this.#mustWait(pool, work, lane)) {
      lane.isAwaited = true
      return undefined
    }
    if (this.#options.failures.mayTry(poolKey(pool), work.now)) return this.#beginLane(pool, work, lane)
    if (isOpen) this.#beginConfirming(pool, work, lane)
    return undefined
  }

  /** Nodes that a decision which came meanwhile keeps under cordon stay so: their drains go on. */
  #uncordon(pool: string, work: PoolWork): void {
    this.#nodes.assumeAndBegin(this.#uncordonsOf(pool, work))
  }

  #uncordonsOf(pool: string, work: PoolWork): readonly PlannedWrite[] {
    const { uncordons } = this.#laneOf(pool)
    return this.#nodes.planned(
      pool,
      { ...work, actions: work.decision.actions },
      ({ kind, node }) => kind === 'uncordon' && uncordons.has(node),
    )
  }

  /** What relies on no status. The nodes may be of no pool. */
  beginAtOnce(pool: string, work: NodeWork): void {
    this.#nodes.assumeAndBegin(this.#nodes.planned(pool, work))
  }

  /** What was begun and not sent yet is decided again by the pass that begins: it may be stopped by now. */
  recall(): void {
    this.#nodes.recall()
  }

  /** Resolves when everything that was begun has ended. */
  async end(): Promise<void> {
    await Promise.all(this.#running)
  }

  /** Mere counts that are being written keep nothing waiting but another status, and what that goes before. */
  #mustWait(pool: string, work: PoolWork, lane: Lane): boolean {
    return lane.writing === 'first' || this.#controlsOf(pool, work).length > 0 || this.#options.journal.isNews(pool, work)
  }

  #beginLane(pool: string, work: PoolWork, lane: Lane): Instant | undefined {
    const { journal, actionsAPass = ACTIONS_A_PASS } = this.#options
    const { decision, now } = work
    const planned = this.#nodes.planned(pool, { ...work, actions: decision.actions }, ({ kind }) => kind !== 'uncordon')
    const writes = planned.slice(0, actionsAPass)
    if (lane.writing !== 'nothing') {
      this.#nodes.assumeAndBegin(writes)
      return undefined
    }
    const controls = this.#controlsOf(pool, work)
    const dueAt = journal.dueAt(pool, work)
    const isDue = dueAt !== undefined && dueAt <= now
    if (!isDue && writes.length + controls.length === 0) return dueAt
    this.#nodes.assume(writes)
    if (isDue) journal.assume(pool, decision.status)
    lane.writing = controls.length > 0 || (isDue && journal.isNews(pool, work)) ? 'first' : 'counts'
    this.#keep(lane, { run: this.#run(pool, { lane, work, writes, controls, isDue }), isNews: isDue || controls.length > 0 })
    return isDue ? undefined : dueAt
  }

  /** The status is refused, and tried again later: nodes that are done do not wait for it under cordon. */
  #beginConfirming(pool: string, work: PoolWork, lane: Lane): void {
    const { failures } = this.#options
    if (!failures.mayTry(readKey(pool), work.now) || this.#uncordonsOf(pool, work).length === 0) return
    lane.writing = 'first'
    const confirming = this.#apart(readKey(pool), async () => {
      await this.#confirm(pool, work)
    })
    this.#keep(lane, { run: confirming, isNews: true })
  }

  /** @param isNews it is to be decided again after it */
  #keep(lane: Lane, { run, isNews }: { readonly run: Promise<void>; readonly isNews: boolean }): void {
    const kept = run.finally(() => {
      this.#running.delete(kept)
      lane.writing = 'nothing'
      if (lane.isAwaited || isNews) this.#options.changed()
      lane.isAwaited = false
    })
    this.#running.add(kept)
  }

  /** What relies on the nodes alone is begun once they are known to be as the decision has seen them. */
  async #confirm(pool: string, work: PoolWork): Promise<boolean> {
    const { journal } = this.#options
    const isOpen = journal.isOpen(pool, work)
    const isConfirmed = await journal.confirm(pool, work)
    if (isOpen && isConfirmed) this.#uncordon(pool, work)
    return isConfirmed
  }

  async #write(pool: string, work: PoolWork): Promise<boolean> {
    const { journal } = this.#options
    try {
      return (await this.#confirm(pool, work)) && (await journal.write(pool, work))
    } finally {
      journal.withdraw(pool)
    }
  }

  async #run(pool: string, { lane, work, writes, controls, isDue }: Run): Promise<void> {
    const { journal, failures, failed } = this.#options
    // Later decisions build on no mere counts: nobody waits for these.
    let begun = !isDue || lane.writing !== 'first'
    if (begun) this.#nodes.begin(writes)
    try {
      const isWritten = !isDue || (await this.#write(pool, work))
      if (!begun && (!isWritten || lane.isAwaited)) this.#nodes.withdraw(writes)
      else if (!begun) this.#nodes.begin(writes)
      begun = true
      if (!isWritten) return
      if (controls.length > 0) await this.#apart(controlKey(pool), () => this.#clear(pool, controls))
      for (const key of [poolKey, readKey]) failures.ended(key(pool))
      if (failures.mayTry(copyKey(pool), work.now)) await this.#apart(copyKey(pool), () => journal.afterwards(pool, work))
    } catch (error) {
      if (!begun) this.#nodes.withdraw(writes)
      failed(poolKey(pool), error)
    }
  }

  /** What the server refuses is tried again later, and nothing else of the pool waits for it. */
  async #apart(object: WrittenObject, write: () => Promise<void>): Promise<void> {
    const { failures, failed } = this.#options
    try {
      await write()
      failures.ended(object)
    } catch (error) {
      failed(object, error)
    }
  }

  async #clear(pool: string, controls: readonly ClearControl[]): Promise<void> {
    const failed = await forEach(controls, {}, (control) => this.#options.clearControl(pool, control))
    for (const error of failed.values()) throw error
  }

  #controlsOf(pool: string, { decision: { actions }, now }: PoolWork): readonly ClearControl[] {
    const controls = actions.filter((action) => action.kind === 'clearControl')
    // Somebody else cleared them.
    if (controls.length === 0) this.#options.failures.ended(controlKey(pool))
    return controls.length > 0 && this.#options.failures.mayTry(controlKey(pool), now) ? controls : []
  }

  #laneOf(pool: string): Lane {
    const lane = this.#lanes.get(pool) ?? { writing: 'nothing', isAwaited: false, uncordons: new Set() }
    this.#lanes.set(pool, lane)
    return lane
  }
}
