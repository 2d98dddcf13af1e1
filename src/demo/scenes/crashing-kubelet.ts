import { applied, check, count, PATIENCE, ready, recordFailures, rolledBack } from '../checks.ts'
import type { Scene } from '../scene.ts'

const MISSPELT_SOCKET = 'unix:///run/containerd/containerd.sok'

export const crashingKubelet: Scene = {
  name: 'crashing-kubelet',
  title: 'A commit passes every check and makes the kubelet crash at its start.',
  play: async ({ git, view }) => {
    await git.revert(await git.head())
    const flag = `    flags: {container-runtime-endpoint: "${MISSPELT_SOCKET}"}\n`
    await git.edit('pools/workers.yaml', '    flagSets: [baseline]\n', `    flagSets: [baseline]\n${flag}`)
    await git.commit('workers: another runtime endpoint')
    const hit = recordFailures(view)
    const bad = await git.push()
    await view.until('the workers are rolled back', { when: rolledBack('workers', bad), timeout: PATIENCE })
    const failed = hit()
    check(failed.size === 1, `one node alone was touched and failed; seen: ${[...failed.keys()].join(', ') || 'none'}`)
    const [[canary = '', words = ''] = []] = failed
    check(words.includes(MISSPELT_SOCKET), `the reason holds the kubelet's own last words: ${words}`)
    check(
      applied(view.nodes.get(canary)) && count(view, ready) === view.nodes.size,
      'its host was restored, and every node is Ready',
    )
    return `${canary} failed ("${words.slice(0, 90)}…"), its agent restored it, and the pool rolled back; no other worker was changed`
  },
}
