import type { KubeObject } from '../../../../src/kube/kube-api.ts'
import type { NodePoolStatus } from '../../../../src/protocol/node-pool.ts'
import { desiredOf } from '../assignment.ts'
import type { PoolInvariant } from '../invariants.ts'
import type { World } from '../world.ts'

/** Milliseconds by which a clock may differ without a sign of it: docs/rollouts.md. */
const UNSEEN = 35_000

/** By the time that has really passed. A soak counts from the assignment at the earliest, where the clock of a node is behind its controller's. */
export const soaksLast: PoolInvariant = {
  claim: 'no wave opens before the canary has had the content for the length of its soak',
  holds(pool, world) {
    const { soak = 0, canary = false } = world.pools.find(({ name }) => name === pool.metadata.name) ?? {}
    if (!canary || !opensSecondWave(pool, world)) return true
    return assignedFor(pool, world).every((duration) => duration >= soak * 1000 - UNSEEN)
  },
}

/** Of the content that it was at in the status before. */
function opensSecondWave({ metadata: { name }, status }: KubeObject, world: World): boolean {
  const { wave, target } = (status ?? {}) as Partial<NodePoolStatus>
  const before = world.waves.get(name)
  const now = { content: world.contentOf(name, target?.revision ?? '')?.name, index: wave?.index ?? 0 }
  world.waves.set(name, now)
  return before?.content === now.content && before?.index === 1 && now.index === 2
}

/** For how long nodes of the pool have had its target, in milliseconds. */
function assignedFor({ metadata: { name }, status }: KubeObject, world: World): number[] {
  const { target } = (status ?? {}) as Partial<NodePoolStatus>
  const wanted = world.contentOf(name, target?.revision ?? '')?.name
  return world.nodes().flatMap((node) => {
    const { POOL = '', REVISION = '' } = desiredOf(node) ?? {}
    const at = world.assignedAt.get(node.metadata.name)
    return POOL === name && world.contentOf(name, REVISION)?.name === wanted && at !== undefined
      ? [world.clock.elapsed() - at]
      : []
  })
}
