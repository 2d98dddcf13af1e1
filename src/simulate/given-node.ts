import type { RenderedFrom } from '../controller/cache/rendered-from.ts'
import type { PlannedNode } from '../render/node-facts.ts'

/** A node as it is given, from wherever. */
export interface GivenNode extends PlannedNode {
  readonly ready: boolean
  readonly unschedulable: boolean
  /** What numbers of its contents were calculated from; absent: nothing is noted. */
  readonly renderedFrom?: RenderedFrom
  /** What a controller assigned to it; undefined: the node is not from a cluster. */
  readonly assignment?: { readonly digest: string } | 'ByHand' | 'None'
}
