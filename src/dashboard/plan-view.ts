import type { CommitView } from './fleet-view.ts'

/** What a commit will change in a pool, in words. */
export interface PlanView {
  readonly commit: CommitView
  /** Why it waits; empty: it is under way, and this is what is left. */
  readonly because: string
  /** `12 of 40 nodes change, each node is drained` */
  readonly summary: string
  /** When something may begin; empty: at any time. */
  readonly window: string
  readonly waves: readonly { readonly name: string; readonly nodes: number; readonly conditions: string }[]
  /** Nodes that change alike. */
  readonly groups: readonly PlanGroupView[]
  readonly remarks: readonly string[]
}

export interface PlanGroupView {
  /** `n0, n1 and 38 more: each node is drained` */
  readonly title: string
  readonly reasons: readonly string[]
  /** What changes, from what, to what. */
  readonly changes: readonly (readonly [path: string, from: string, to: string])[]
}
