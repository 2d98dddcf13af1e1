import { capture } from '../capture.ts'
import { applied, check, completed, count, PATIENCE, short } from '../checks.ts'
import type { FleetView } from '../fleet-view.ts'
import type { Scene } from '../scene.ts'

export const promotion: Scene = {
  name: 'promotion',
  title: 'A manual wave waits for promotion. The leading controller stops, and the one on standby takes over.',
  play: async ({ git, view, controllers, kubeconfig }, io) => {
    await git.edit('pools/workers.yaml', '{name: early, nodes: 20%', '{name: early, manual: true, nodes: 20%')
    await git.edit('config/workers.yaml', 'maxPods: 150', 'maxPods: 160')
    await git.commit('workers: 160 pods, once the canary has been looked at')
    const commit = await git.push()
    await view.until('the workers wait for a promotion', { when: workersWait(commit), timeout: PATIENCE })
    const before = view.pools.get('workers')?.status?.nodes.current
    check(before === 1, `one node alone has the change; seen: ${before}`)
    const took = Math.round(await controllers.handOver())
    const promote = await capture(['promote', 'workers', '--kubeconfig', kubeconfig], io)
    io.stdout(promote.output.replace(/^(?=.)/gm, '    '))
    check(promote.code === 0, 'promote is accepted')
    await view.until(`all pools at ${short(commit)}`, { when: completed(commit), timeout: PATIENCE })
    return `another controller led after ${took} ms; after "nodewave promote", ${short(commit)} went from the canary to all ${count(view, applied)} nodes`
  },
}

function workersWait(commit: string): (view: FleetView) => boolean {
  return (view) => {
    const { target, conditions = [] } = view.pools.get('workers')?.status ?? {}
    return target?.revision === commit && conditions.some(({ reason }) => reason === 'WaitingForPromotion')
  }
}
