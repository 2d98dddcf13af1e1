import type { NodePoolStatus } from '../../../src/protocol/node-pool.ts'
import { desiredOf } from './assignment.ts'
import type { Machine } from './machine.ts'
import type { World } from './world.ts'

const SECOND = 1000
/** Seconds that a node may take to be assigned a commit. */
const PATIENCE = 40
/** Seconds that a pool may take for what it does. */
const LONG = 300

/** A person holds a node, or releases it. */
export async function hold({ name }: Machine, reason: string | null, world: World): Promise<void> {
  if (!world.machines.has(name)) return
  await world.kube.patch(`/api/v1/nodes/${name}`, { metadata: { annotations: { 'nodewave.io/hold': reason } } })
}

/** @returns false where the node is not assigned the commit in time */
export async function assignedBy(commit: string, { name }: Machine, { clock, store }: World): Promise<boolean> {
  const isThere = (): boolean => {
    const node = store.get('nodes', name) as unknown as Parameters<typeof desiredOf>[0] | undefined
    return node !== undefined && desiredOf(node)?.REVISION === commit
  }
  for (let waited = 0; waited < PATIENCE && !isThere(); waited++) await clock.advance(SECOND)
  return isThere()
}

/** @returns false where a pool is not through with what it does in time */
export async function hasCompleted(pool: string, world: World): Promise<boolean> {
  const isDone = (): boolean => {
    const { conditions = [] } = (world.pool(pool)?.status ?? {}) as Partial<NodePoolStatus>
    return conditions.some(({ type, status, reason }) => type === 'Ready' && status === 'True' && reason === 'Completed')
  }
  for (let waited = 0; waited < LONG && !isDone(); waited += 10) await world.clock.advance(10 * SECOND)
  return isDone()
}
