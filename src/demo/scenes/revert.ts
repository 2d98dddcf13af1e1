import { applied, check, completed, count, digests, PATIENCE, runs, short } from '../checks.ts'
import type { Scene } from '../scene.ts'

export const revert: Scene = {
  name: 'revert',
  title: 'Its revert is pushed: nothing has to change, and every pool is Ready again.',
  play: async ({ git, view }) => {
    const before = digests(view)
    await git.revert(await git.head())
    const commit = await git.push()
    await view.until(`all pools at ${short(commit)}`, { when: completed(commit), timeout: PATIENCE })
    check(digests(view) === before, 'no node had to change: a digest decides, not a commit')
    check(count(view, (node) => applied(node) && runs('v1.36.3')(node)) === view.nodes.size, 'every node is healthy on v1.36.3')
    return 'every pool is Ready at the revert, and no kubelet was restarted for it'
  },
}
