/** What the content that is assigned to a node changes on it, in words. */
export interface NodeChangesView {
  readonly title: string
  readonly comparisons: readonly {
    readonly title: string
    /** Why there is no table; empty: there is one. */
    readonly remark: string
    /** What changes, from what, to what. */
    readonly changes: readonly (readonly [path: string, from: string, to: string])[]
  }[]
}
