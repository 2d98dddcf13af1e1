import type { ProblemReason } from '../problem.ts'
import type { Path } from '../source.ts'

/** Something that a kubelet would not take, at a path within what was looked at. */
export interface KnowledgeFinding {
  readonly path: Path
  readonly reason: ProblemReason
  /** Whether the key is wrong, or its value. */
  readonly part: 'key' | 'value'
  readonly message: string
  readonly remedy?: string | undefined
}
