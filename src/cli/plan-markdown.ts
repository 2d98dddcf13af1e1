import type { ChangeGroup } from '../render/plan-pool.ts'
import { nameList, shownValue } from './paint.ts'
import { remarks, summary, wavesText } from './plan-text.ts'
import type { PlanView, PoolPlanView } from './plan-view.ts'

/** The plan as a comment on a pull request. */
export function planMarkdown(view: PlanView): string {
  const changed = view.pools.filter(({ touched, problems, refusals }) =>
    [touched, problems, refusals].some((list) => list.length > 0),
  )
  const rest = view.pools.filter((pool) => !changed.includes(pool)).map(({ pool }) => pool)
  return `${[
    `### Plan ${code(view.from)} → ${code(view.to)}`,
    ...changed.map(poolMarkdown),
    ...(rest.length > 0 ? [`No change: ${rest.map(code).join(', ')}`] : []),
    ...(view.estimate === undefined ? [] : [`Estimate: ${escaped(view.estimate)}`]),
    ...remarks(view).map((remark) => `> ${escaped(remark)}`),
  ].join('\n\n')}\n`
}

function poolMarkdown(pool: PoolPlanView): string {
  return [
    `#### ${code(pool.pool)}: ${summary(pool)}`,
    ...pool.groups.map((group) => groupMarkdown(group, pool.groups.length > 1)),
    ...(pool.pods === undefined ? [] : [`Pods: ${escaped(pool.pods)}`]),
    ...(pool.controlPlane === undefined ? [] : [`Control plane: ${escaped(pool.controlPlane)}`]),
    ...(pool.waves.length > 0 ? [`Waves: ${escaped(wavesText(pool.waves))}`] : []),
    ...pool.refusals.map(
      ({ message, remedy, where }) => `> **Refused:** ${escaped([message, remedy ?? []].flat().join('; '))} ${code(where)}`,
    ),
    ...pool.problems.map(({ message, where }) => `> **Error:** ${escaped(message)} ${where.map(code).join(', ')}`),
  ].join('\n\n')
}

function groupMarkdown({ nodes, changes, reasons }: ChangeGroup, isOneOfMany: boolean): string {
  const rows = changes.map(
    ({ path, from, to }) => `| ${code(path.join('.'))} | ${code(shownValue(from))} | ${code(shownValue(to))} |`,
  )
  const table = rows.length > 0 ? ['| what | from | to |\n|---|---|---|', ...rows].join('\n') : ''
  const because = reasons.map((reason) => `- ${escaped(reason)}`).join('\n')
  return [...(isOneOfMany ? [escaped(nameList(nodes))] : []), table, because].filter(Boolean).join('\n\n')
}

/** Text from a repository must not become markup, mention people, or close the table it stands in. */
function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|@&~]/g, (character) => `&#${character.codePointAt(0)};`)
}

/** In a table a vertical bar ends the cell even within code. */
function code(text: string): string {
  return `<code>${escaped(text)}</code>`
}
