import type { NodePoolStatus } from '../../../../src/protocol/node-pool.ts'
import type { World } from './world.ts'

export function told(world: World): string {
  return [...world.decisions]
    .map(([name, { status }]) => `${name}: ${readyOf(status).reason}: ${readyOf(status).message}`)
    .concat(
      world.nodes.map(
        ({ view, pool }) =>
          `${view.name}@${pool} ${view.ready ? '' : 'down '}${view.unschedulable ? 'cordoned ' : ''}${view.assigned?.digest}/${view.status?.phase}/${view.status?.active}`,
      ),
    )
    .join('\n  ')
}

export function diff(a: string, b: string): string {
  let at = 0
  while (a[at] === b[at]) at++
  return `${a.slice(Math.max(0, at - 150), at + 150)}\n    ${b.slice(Math.max(0, at - 150), at + 150)}`
}

export function readyOf(status: Pick<NodePoolStatus, 'conditions'>): NodePoolStatus['conditions'][number] {
  const found = status.conditions.find(({ type }) => type === 'Ready')
  if (!found) throw new Error('no Ready')
  return found
}
