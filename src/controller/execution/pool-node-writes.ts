import type { Action } from '../../rollout/model/decision.ts'
import type { RestoreSettings } from '../node-settings/restore-settings.ts'
import type { SignNode } from '../signing/sign-node.ts'
import type { LabelPool } from './node-patch.ts'
import type { NodeWrites, PlannedWrite } from './node-writes.ts'
import type { PoolWork } from './pool-journal.ts'
import type { QueuedAction } from './queued-action.ts'

export type NodeWork = Pick<PoolWork, 'nodes' | 'now'> &
  Partial<Pick<PoolWork, 'rendered'>> & { readonly actions: readonly (Action | LabelPool | SignNode | RestoreSettings)[] }

export interface PoolNodeWritesOptions {
  readonly nodeWrites: Pick<NodeWrites, 'mayBegin' | 'assume' | 'begin' | 'withdraw' | 'isSent' | 'recall'>
  /** Called when it is time to decide again. */
  readonly changed: () => void
}

/** What a pool writes to its nodes: planned from actions, assumed, then begun or withdrawn, all of a decision together. */
export class PoolNodeWrites {
  readonly #options: PoolNodeWritesOptions

  constructor(options: PoolNodeWritesOptions) {
    this.#options = options
  }

  /** Those actions on nodes that are asked for, and may be begun now. */
  planned(
    pool: string,
    { actions, nodes, rendered, now }: NodeWork,
    isAskedFor: (action: QueuedAction) => boolean = () => true,
  ): PlannedWrite[] {
    return actions.flatMap((action): PlannedWrite[] => {
      if (!('node' in action) || !isAskedFor(action)) return []
      const node = nodes.get(action.node)
      const config = node && (action.kind === 'assign' || action.kind === 'sign') ? rendered?.(node, action.revision) : undefined
      if (!node || !this.#options.nodeWrites.mayBegin({ action, ...(config && { config }) }, now)) return []
      return [{ pool, action, node, ...(config && { config }) }]
    })
  }

  assume(writes: readonly PlannedWrite[]): void {
    for (const write of writes) this.#options.nodeWrites.assume(write)
  }

  /** What is assumed. */
  begin(writes: readonly PlannedWrite[]): void {
    const { nodeWrites, changed } = this.#options
    for (const write of writes) {
      // More of the pool may be to do than was begun, and what failed or was passed over is to be decided again.
      nodeWrites.begin(write, () => {
        if (nodeWrites.isSent(write.pool)) changed()
      })
    }
  }

  assumeAndBegin(writes: readonly PlannedWrite[]): void {
    this.assume(writes)
    this.begin(writes)
  }

  withdraw(writes: readonly PlannedWrite[]): void {
    for (const write of writes) this.#options.nodeWrites.withdraw(write)
  }

  /** What was begun and not sent yet is decided again. */
  recall(): void {
    this.#options.nodeWrites.recall()
  }
}
