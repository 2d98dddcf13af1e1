import { isAtWork, reportOf } from '../../../../src/rollout/model/agent-report.ts'
import { POOLS, type SimNode, type World } from './world.ts'

/** @param known as the pass saw the nodes: of who has gone down since, it could not know */
export function keepsBudgets(world: World, before: readonly SimNode[], known: readonly SimNode[]): void {
  const newly = world.nodes.filter((node) => {
    const old = before.find(({ view }) => view.name === node.view.name)
    return old && old.view.assigned !== undefined && !isUnavailable(old) && isUnavailable(node)
  })
  if (newly.length === 0) return
  const joined = new Set(
    world.nodes
      .filter((node) => {
        const old = before.find(({ view }) => view.name === node.view.name)
        return old?.view.assigned === undefined && old && !isUnavailable(old)
      })
      .map(({ view }) => view.name),
  )
  const seen = new Set([...newly, ...known.filter(isUnavailable)].map(({ view }) => view.name))
  const spending = (nodes: readonly SimNode[]): readonly SimNode[] =>
    nodes.filter((node) => isUnavailable(node) && seen.has(node.view.name) && !joined.has(node.view.name))
  for (const name of world.names) {
    const policy = world.options.pools[POOLS.indexOf(name as 'a')]?.policy
    const share = policy?.maxUnavailable ?? '100%'
    const members = world.nodes.filter(({ pool }) => pool === name)
    if (!newly.some(({ pool }) => pool === name)) continue
    const allowed = typeof share === 'number' ? share : Math.max(1, Math.floor((members.length * Number.parseFloat(share)) / 100))
    if (spending(members).length > allowed)
      world.wrong.push(
        `(2) ${name} newly ${newly.map(({ view }) => view.name)}: unavailable ${spending(members).map(({ view }) => view.name)} of ${allowed}`,
      )
  }
  const { maxUnavailable } = world.options
  if (maxUnavailable === undefined) return
  const all = spending(world.nodes).filter(
    ({ pool, view }) =>
      pool !== undefined ||
      (view.assigned !== undefined &&
        view.proof?.state !== 'Wanted' &&
        (!view.ready || !view.unschedulable || view.mark?.state === 'Ours')),
  )
  if (all.length > maxUnavailable)
    world.wrong.push(
      `(2) fleet newly ${newly.map(({ view }) => view.name)}: unavailable ${all.map(({ view }) => view.name)} of ${maxUnavailable}`,
    )
}

function isUnavailable({ view }: SimNode): boolean {
  if (!view.ready || view.unschedulable) return true
  const report = reportOf(view)
  if (view.proof && view.proof.state !== 'Passed' && view.proof.assignedAt === view.assigned?.at && report?.phase === 'Applied')
    return true
  return isAtWork(view, report) && view.status?.active !== view.assigned?.digest
}
