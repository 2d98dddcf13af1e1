import type { NodePoolStatus } from '../../../../src/protocol/node-pool.ts'
import type { Action } from '../../../../src/rollout/model/decision.ts'
import { type Content, contentOf, renderedFrom } from './contents.ts'
import { POOLS, type SimNode, type World } from './world.ts'

export function mayBeAssigned(
  world: World,
  name: string,
  { node, digest }: Extract<Action, { kind: 'assign' }>,
  status: NodePoolStatus,
): void {
  const record = world.records.get(name)
  const content = renderedFrom(digest) as Content
  if (!record) return
  const target = contentOf(status.target)
  const isTarget = target === content
  if (record.rejected.has(content)) world.wrong.push(`(4) ${node} of ${name} gets ${content}, which failed`)
  if (isTarget) return
  if (record.completed.includes(content)) return
  if (record.spare === content && record.completed.length === 0) return
  if (record.completed.length === 0 && contentOf(status.stable) === content) return
  world.wrong.push(
    `(3) ${node} of ${name} gets ${content}, target ${target}, completed ${record.completed} left ${[...record.left]}`,
  )
}

export function keepsExposure(world: World, name: string, status: NodePoolStatus, before: readonly SimNode[]): void {
  const record = world.records.get(name)
  const target = contentOf(status.target)
  const [top] = status.history
  if (!record || !target || record.completed.includes(target) || top?.result !== 'Running') return
  const policy = world.options.pools[POOLS.indexOf(name as 'a')]?.policy
  const waves = policy?.waves ?? []
  const { index = 0 } = status.wave ?? {}
  const members = world.nodes.filter(({ pool }) => pool === name)
  if (index > waves.length) return
  const sizes = waves
    .slice(0, index)
    .map(({ nodes }) =>
      'count' in nodes
        ? nodes.count
        : 'percent' in nodes
          ? Math.max(1, Math.floor((members.length * nodes.percent) / 100))
          : members.length,
    )
  const places = sizes.reduce((sum, size) => sum + size, 0)
  const isExposed = ({ view, wasSound }: SimNode): boolean =>
    wasSound &&
    renderedFrom(view.assigned?.digest) === target &&
    view.assigned?.pool === name &&
    (view.assigned.at ?? 0) >= Date.parse(top.startedAt)
  const exposed = members.filter(isExposed)
  const were = new Set(before.filter(isExposed).map(({ view }) => view.name))
  // A retry has a node try once more that is exposed already, also where the status that knew the open waves was lost.
  if (exposed.every(({ view }) => were.has(view.name))) return
  if (exposed.length > places && places < members.length)
    world.wrong.push(`(1) ${exposed.map(({ view }) => view.name)} of ${name} exposed to ${target}, places ${places}`)
}
