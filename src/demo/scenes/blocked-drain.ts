import { applied, check, completed, count, indent, PATIENCE, short } from '../checks.ts'
import type { FleetView } from '../fleet-view.ts'
import type { Scene } from '../scene.ts'

export const blockedDrain: Scene = {
  name: 'blocked-drain',
  title: 'A change that needs drains is blocked by a PodDisruptionBudget; then the budget is relaxed.',
  play: async ({ git, view, shop, machines }, io) => {
    await shop.open(machines.flatMap(({ name }) => (name.startsWith('gpu-') ? [name] : [])))
    // For people who watch, a drain is overdue after a second here.
    await git.edit('fleet.yaml', 'timeout: 15m', 'timeout: 1s')
    await git.edit('config/gpu.yaml', 'maxPods: 40\n', 'maxPods: 40\nclusterDNS: ["10.96.0.53"]\n')
    await git.commit('gpu: another DNS service')
    const commit = await git.push()
    await view.until('the pool says what blocks its drain', { when: (seen) => blockage(seen) !== undefined, timeout: PATIENCE })
    io.stdout(indent(`${blockage(view)}\n`))
    check(view.pools.get('gpu')?.status?.nodes.current === 0, 'no node has the change, for none could be drained')
    await shop.relax()
    await view.until(`all pools at ${short(commit)}`, { when: completed(commit), timeout: PATIENCE })
    check(count(view, applied) === machines.length, 'every node reports what it runs as applied')
    return 'the status named pod and budget; then four nodes were drained, one pod at a time, and changed'
  },
}

function blockage(view: FleetView): string | undefined {
  const { conditions = [] } = view.pools.get('gpu')?.status ?? {}
  const stalled = conditions.find(({ type, status }) => type === 'Stalled' && status === 'True')
  return stalled?.reason === 'DrainBlocked' && stalled.message.includes('"cart"') ? stalled.message : undefined
}
