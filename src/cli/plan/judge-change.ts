import { code } from '../../forge/pull-request/markdown.ts'
import { createLoader } from '../../repo/load-fleet.ts'
import type { FleetModel } from '../../repo/model.ts'
import { formatProblem, type Problem } from '../../repo/problem.ts'
import type { CliIo } from '../cli-io.ts'
import { counted } from '../paint.ts'
import { planMarkdown } from '../plan-markdown.ts'
import type { PlanView } from '../plan-view.ts'
import { problemsToJson } from '../problems-json.ts'
import { errorsOf, judgeFiles } from '../read-fleet.ts'
import { askKubelets, type Judge } from '../validate/ask-kubelets.ts'
import { makePlan, type PlanInput } from './make-plan.ts'
import { newWarnings } from './new-warnings.ts'
import { type PlanVerdict, planVerdict } from './plan-verdict.ts'
import type { PullRequestChange } from './pull-request-change.ts'

export interface KubeletOptions {
  /** Paths of kubelets that check the flags and the configuration of the pools of their version. */
  readonly kubelet?: readonly string[]
  readonly judge: Judge
}

export interface JudgedChange {
  readonly verdict: PlanVerdict
  /** Markdown. */
  readonly details: string
  /** Undefined where one end is invalid: its problems are then known, for programs. */
  readonly view?: PlanView
  readonly problems?: ReturnType<typeof problemsToJson>
}

/** The plan of a change, or why there is none. What is invalid before it must not keep anybody from correcting it. */
export async function judgeChange(
  io: CliIo,
  { from, to }: PullRequestChange,
  options: PlanInput['options'] & KubeletOptions,
): Promise<JudgedChange> {
  const { cluster } = options
  const load = createLoader()
  const after = judgeFiles(to.files, { cluster }, load)
  const before = judgeFiles(from.files, { cluster, accepted: true }, load)
  const names = { from: from.commit.slice(0, 7), to: to.commit.slice(0, 7) }
  if (after.model === undefined) {
    const { lines, sum } = errorsOf(after)
    return {
      verdict: { passes: false, text: `the fleet is invalid: ${sum}` },
      details: problemList(lines),
      problems: problemsToJson(after),
    }
  }
  const refused = await refusedByKubelets(after.model, options)
  const [refusal] = refused
  if (refusal)
    return {
      verdict: { passes: false, text: refusal.message },
      details: problemList(refused.map(formatProblem)),
      problems: problemsToJson({ problems: refused, renderProblems: [] }),
    }
  if (before.model === undefined) {
    const text = `the fleet is valid; it was invalid at ${names.from}, so there is nothing to compare it with`
    return {
      verdict: { passes: true, text },
      details: `It was invalid at ${code(names.from)}:\n\n${problemList(errorsOf(before).lines)}`,
      problems: problemsToJson(before),
    }
  }
  const change = {
    from: { snapshot: { ...from, accepted: true as const }, model: before.model },
    to: { snapshot: to, model: after.model },
    load,
  }
  const view = await makePlan(io, { change, options, names })
  const warnings = newWarnings(after, before)
  const warned =
    warnings.length === 0 ? '' : `\nThe change brings ${counted(warnings.length, 'warning')}:\n\n${problemList(warnings)}`
  return { verdict: planVerdict(view), details: planMarkdown(view) + warned, view }
}

/** What the real kubelets that CI has refuse of the pools of their version. */
async function refusedByKubelets(model: FleetModel, { kubelet: binaries = [], judge }: KubeletOptions): Promise<Problem[]> {
  if (binaries.length === 0) return []
  const verdicts = await askKubelets(model, { binaries, judge })
  return verdicts.flatMap(({ problems }) => problems.filter(({ severity }) => severity === 'error'))
}

/** Each on one line of Markdown, whatever stands in it, so that a cut breaks none. */
function problemList(problems: readonly string[]): string {
  return `${problems.map((problem) => `- ${problem.split('\n').map(code).join('<br>')}`).join('\n')}\n`
}
