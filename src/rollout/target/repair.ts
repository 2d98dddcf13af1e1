import type { NodeView } from '../model/node-view.ts'
import type { Revision } from '../model/snapshot.ts'
import type { Run } from './rollout.ts'

/**
 * What a node that a failed commit has left down gets, while the newer commit that a person pushed has to wait: what is proven. It is down
 * anyway, so it takes nothing of any budget; left as it is, it would use up the fleet's, and the newer commit might wait for that for ever.
 */
export function mendedWith(
  { node, broken }: { readonly node: NodeView; readonly broken: boolean },
  run: Pick<Run, 'state' | 'withheld' | 'stable'>,
): Revision | undefined {
  return isSuperseded(run) && broken && !node.ready ? run.stable : undefined
}

/** What it is halted at is not what the repository says any more. */
export function isSuperseded({ state, withheld }: Pick<Run, 'state' | 'withheld'>): boolean {
  return state === 'Halted' && withheld !== undefined
}
