import { applied, check, completed, count, PATIENCE, short } from '../checks.ts'
import type { Scene } from '../scene.ts'

export const firstRollout: Scene = {
  name: 'first-rollout',
  title: 'The example fleet is pushed: nodewave rolls it out to all nodes.',
  play: async ({ git, view, machines }) => {
    await git.commit('fleet: the machines as they are to be')
    const commit = await git.push()
    await view.until(`all pools at ${short(commit)}`, { when: completed(commit), timeout: PATIENCE })
    check(count(view, applied) === machines.length, 'every node reports what it runs as applied')
    return `${machines.length} nodes in ${view.pools.size} pools run what the repository says`
  },
}
