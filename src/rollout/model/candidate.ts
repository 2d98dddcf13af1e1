import type { Reported } from '../selection/budget.ts'
import type { Standing } from './node-progress.ts'
import type { Wanted } from './snapshot.ts'

/** A member before it is known what its cordon means. */
export interface Candidate extends Reported {
  /** The commit that `wanted` is of. */
  readonly revision: string
  readonly wanted: Wanted
  /** Index into the picture's waves; absent for nodes that no wave counts. */
  readonly wave?: number
  readonly standing: Standing
  /** It is assigned `wanted` already, and need not be again. */
  readonly assigned: boolean
  /** An unfinished roll-out got at it, and it is not well: whatever the target, it needs it most. */
  readonly broken: boolean
}
