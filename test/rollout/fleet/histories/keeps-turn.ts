import { isInFlight, reportOf } from '../../../../src/rollout/model/agent-report.ts'
import type { SimNode, World } from './world.ts'

/** (10): who begins with a node of the control plane knows of its own work on the others, whatever else it has not seen yet. */
export function keepsTurn(world: World, before: readonly SimNode[]): void {
  if (!world.options.isControlPlane) return
  const begun = world.nodes.filter((node) => {
    const old = before.find(({ view }) => view.name === node.view.name)
    return old !== undefined && hasBegun(old, node)
  })
  const names = begun.map(({ view }) => view.name)
  const others = world.nodes.filter(({ view }) => isInFlight(view, reportOf(view)) && !names.includes(view.name))
  if (begun.length > 0 && begun.length + others.length > 1)
    world.wrong.push(`(10) ${names} of the control plane begun beside ${others.map(({ view }) => view.name)}`)
}

function hasBegun({ view: old }: SimNode, { view }: SimNode): boolean {
  return view.assigned?.at !== old.assigned?.at || (view.mark?.state === 'Ours' && view.unschedulable && !old.unschedulable)
}
