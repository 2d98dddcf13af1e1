import { assignments, check, completed, PATIENCE, short } from '../checks.ts'
import type { FleetView } from '../fleet-view.ts'
import type { Scene } from '../scene.ts'

const DAY = 24 * 60 * 60_000
const POOL = 'pools/workers.yaml'

export const window: Scene = {
  name: 'window',
  title: 'A change of the workers is pushed outside their window: they wait, until a commit removes the window.',
  play: async ({ git, view }, io) => {
    const opens = new Date(io.now() + 2 * DAY).toISOString().slice(0, 10)
    const windows = `    windows: [{dates: ["${opens}"]}]\n`
    const before = assignments(view)
    await git.edit(POOL, '  rollout:\n', `  rollout:\n${windows}`)
    await git.edit('config/workers.yaml', '  config:\n', '  config:\n    registryPullQPS: 10\n')
    await git.commit(`config: workers pull images at ten a second, from ${opens}`)
    await git.push()
    await view.until('the workers wait for their window', { when: waitsFor(`opens at ${opens}T00:00Z`), timeout: PATIENCE })
    check(assignments(view) === before, 'no node was given anything')
    await git.edit(POOL, windows, '')
    await git.commit('pools: the workers need no window')
    const commit = await git.push()
    await view.until(`all pools at ${short(commit)}`, { when: completed(commit), timeout: PATIENCE })
    check(assignments(view) !== before, 'the workers were given the change')
    return `the workers waited for the window at ${opens}T00:00Z; the commit without it started them at once`
  },
}

function waitsFor(words: string): (view: FleetView) => boolean {
  return ({ pools }) => {
    const { conditions = [] } = pools.get('workers')?.status ?? {}
    return conditions.some(
      ({ type, reason, message }) => type === 'Ready' && reason === 'WaitingForWindow' && message.includes(words),
    )
  }
}
