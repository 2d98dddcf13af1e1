import type { OperatorAction } from '../../protocol/node-pool.ts'
import type { Instant } from '../model/instant.ts'
import type { Memory } from '../model/snapshot.ts'

/** What comes of a control, for the record of it. */
export interface ControlEffect {
  readonly action: OperatorAction
  readonly message: string
  readonly refused?: true
  /** Absent: as it was. */
  readonly memory?: Memory
}

export interface ControlRequest {
  readonly value: string
  readonly now: Instant
}
