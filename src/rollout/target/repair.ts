import type { NodeView } from '../model/node-view.ts'
import type { Revision } from '../model/snapshot.ts'
import type { Rollout } from './rollout.ts'

/**
 * What a node that a failed commit has left down gets, while the newer commit that a person pushed has to wait: what is proven. It is down
 * anyway, so it takes nothing of any budget; left as it is, it would use up the fleet's, and the newer commit might wait for that for ever.
 */
export function repairedWith(
  { node, broken }: { readonly node: NodeView; readonly broken: boolean },
  rollout: Pick<Rollout, 'state' | 'commitBlocker' | 'stable'>,
): Revision | undefined {
  return isSuperseded(rollout) && broken && !node.ready ? rollout.stable : undefined
}

/** What it is halted at is not what the repository says any more. */
export function isSuperseded({ state, commitBlocker }: Pick<Rollout, 'state' | 'commitBlocker'>): boolean {
  return state === 'Halted' && commitBlocker !== undefined
}
