import type { PlannedNode } from '../render/node-facts.ts'

/** A node as it is given, from wherever. */
export interface GivenNode extends PlannedNode {
  readonly ready: boolean
  readonly unschedulable: boolean
}
