import { parsePoolStatus } from '../../controller/cache/node-pool-status.ts'
import { poolControls } from '../../controller/controls/controls.ts'
import type { KubeObject } from '../../kube/kube-api.ts'
import { byText } from '../../protocol/by-text.ts'
import type { NodePoolStatus, PoolConditionType } from '../../protocol/node-pool.ts'
import type { Controls } from '../../rollout/model/snapshot.ts'

/** A pool as its NodePool object shows it. */
export interface PoolStatusView {
  readonly name: string
  readonly status: Partial<NodePoolStatus>
  /** What its annotations ask for. */
  readonly controls?: Controls
}

export function projectPool(object: KubeObject): PoolStatusView {
  const { name, annotations } = object.metadata
  return { name, status: parsePoolStatus(object.status), controls: poolControls(annotations) }
}

export function isReady(pool: PoolStatusView): boolean {
  return holds(pool, 'Ready')
}

export function isStalled(pool: PoolStatusView): boolean {
  return holds(pool, 'Stalled')
}

function holds({ status }: PoolStatusView, condition: PoolConditionType): boolean {
  return status.conditions?.some(({ type, status: state }) => type === condition && state === 'True') ?? false
}

export const byName = byText<PoolStatusView>(({ name }) => name)
