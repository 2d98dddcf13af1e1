import { check, completed, count, PATIENCE, POOLS, recordWaves, runs, short } from '../checks.ts'
import type { Scene } from '../scene.ts'

export const minorUpgrade: Scene = {
  name: 'minor-upgrade',
  title: 'An upgrade is pushed: kubelet 1.35.4 → 1.36.3, a canary first, then in waves.',
  play: async ({ git, view, machines }) => {
    const waves = recordWaves(view, 'workers')
    for (const pool of POOLS) await git.edit(`pools/${pool}.yaml`, '"1.35.4"', '"1.36.3"')
    await git.commit('pools: kubelet 1.36.3')
    const commit = await git.push()
    await view.until(`all pools at ${short(commit)}`, { when: completed(commit), timeout: PATIENCE })
    check(count(view, runs('v1.36.3')) === machines.length, 'every node shows kubelet v1.36.3')
    check(waves().join() === 'canary,early,rest', `the workers went through canary, early and rest; seen: ${waves().join(', ')}`)
    return `${machines.length} nodes show kubelet v1.36.3; the workers went canary → early → rest`
  },
}
