import type { Instant } from '../../../../src/rollout/model/instant.ts'
import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import { NodeDraft } from '../../builders/nodes.ts'
import type { SimNode, World } from './world.ts'

export function ready(view: NodeDraft, isReady: boolean, at: Instant): NodeDraft {
  if (view.ready === isReady) return view
  return isReady ? view.readyAgain(at) : view.notReady(at)
}

/** Its machine starts again. */
export function booted(world: World, node: SimNode): SimNode {
  return { ...node, view: ready(node.view, !node.isRuined, world.now).booted(`boot-${world.uids++}`) }
}

export function clean(view: NodeDraft): NodeDraft {
  const { hold: _, ...rest } = view
  const isTheirs = view.unschedulable && !(view.mark?.state === 'Ours')
  return new NodeDraft({ ...rest, ...(isTheirs && { unschedulable: false }) } as NodeView)
}
