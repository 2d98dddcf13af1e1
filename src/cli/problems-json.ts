import type { RenderProblem } from '../render/render-problem.ts'
import type { Location } from '../repo/model.ts'
import { type Problem, problemToJson } from '../repo/problem.ts'

interface Judged {
  readonly problems: readonly Problem[]
  readonly renderProblems: readonly RenderProblem[]
}

/** What is wrong with a fleet, for programs: the same entries in every command. */
export function problemsToJson({ problems, renderProblems }: Judged) {
  return [
    ...problems.map(problemToJson),
    ...renderProblems.map(({ message, where }) => ({ severity: 'error', reason: 'RenderFailed', ...pick(where[0]), message })),
  ]
}

function pick(place: Location | undefined) {
  return place && { file: place.file, line: place.line, column: place.column }
}
