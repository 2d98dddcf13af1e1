import { shellWord } from '../shell-word.ts'
import type { CiForge } from './packaged-files.ts'

const CI_STEPS: Readonly<Record<CiForge, string>> = {
  github: 'in .github/workflows/plan.yml: enter the owner of nodewave and the version of your API servers',
  gitlab: 'in .gitlab-ci.yml: enter the version of your API servers, and set the variables that it names',
  gitea: 'in .gitea/workflows/plan.yml: enter the version of your API servers, and set the variable that it names',
}

export interface Written {
  readonly ci: CiForge | undefined
  /** The Git repository that the folder is, or lies in. */
  readonly repository: string | undefined
  /** The folder lies within that. */
  readonly isWithin: boolean
  /** Commands that give nodes the labels of their pools; undefined where the repository was written without a cluster. */
  readonly labels: readonly string[] | undefined
}

export function nextSteps(path: string, { ci, repository, isWithin, labels }: Written): string[] {
  const folder = shellWord(path)
  const subject = labels ? 'as the nodes run' : 'a new fleet'
  const init = `git -C ${folder} init -b main`
  return [
    ...(labels ?? []),
    `nodewave validate ${folder}`,
    ...(ci === undefined ? [] : [`kubectl get nodes -o json > ${folder}/nodes.json # CI plans for these`, `# ${CI_STEPS[ci]}`]),
    ...(isWithin
      ? [
          `# ${JSON.stringify(path)} is in the repository ${JSON.stringify(repository)}, and is committed there; for a repository of its own, run first:`,
          `# ${init}`,
        ]
      : []),
    `${repository === undefined ? `${init} && ` : ''}git -C ${folder} add . && git -C ${folder} commit -m '${subject}'`,
    ...(labels ? [`nodewave plan ${folder} # no change: the nodes run it already`] : []),
  ]
}
