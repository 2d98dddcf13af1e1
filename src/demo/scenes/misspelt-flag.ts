import { capture } from '../capture.ts'
import { assignments, check, everyPool, indent, PATIENCE, short } from '../checks.ts'
import type { Scene } from '../scene.ts'

const FLAGS = 'flags/baseline.yaml'

export const misspeltFlag: Scene = {
  name: 'misspelt-flag',
  title: 'A misspelt flag: "nodewave plan" refuses it; after a push, all nodes stay as they are.',
  play: async ({ git, view, kubeconfig }, io) => {
    const before = assignments(view)
    await git.edit(FLAGS, '    v: 2\n', '    v: 2\n    max-podz: 110\n')
    const commit = await git.commit('flags: more pods')
    const plan = await capture(['plan', git.folder, '--from', 'HEAD~1', '--to', 'HEAD', '--kubeconfig', kubeconfig], io)
    io.stdout(indent(plan.output))
    check(plan.code === 2 && plan.output.includes(`${FLAGS}:`), 'plan refuses the commit and names file and line')
    await git.push()
    await view.until('every pool reports the invalid commit', { when: everyPool('InvalidRepository'), timeout: PATIENCE })
    check(assignments(view) === before, 'no node was assigned anything')
    return `${short(commit)} is refused at its line; all nodes stay on the last valid commit`
  },
}
