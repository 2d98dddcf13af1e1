import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import { minute, noon } from '../../rollout/builders/instants.ts'
import { SimNode } from './sim-node.ts'

/** Node "a" of zone-a, which served when the rollout assigned it the target. */
export function triedNode(effect: 'crash' | 'good' | 'ruin'): NodeView {
  const at = noon - 1000
  const node = new SimNode('a', { pool: 'workers', zone: 'zone-a', now: noon - minute, onChange: () => undefined })
  const assigned = { digest: 'new', revision: 'new', pool: 'workers', grant: 'restart', reboot: undefined, at } as const
  node.assign(assigned, { wantsProof: false, patience: minute, now: at })
  for (let i = 0; i < 3; i++) node.step(() => effect, at)
  return node.view()
}
