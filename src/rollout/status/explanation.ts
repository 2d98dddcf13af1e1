import type { PoolReason } from '../../protocol/node-pool.ts'

/** Why a pool is not Ready, or what it does: part of a condition. */
export interface Explanation {
  readonly reason: PoolReason
  readonly message: string
}
