import { code, escaped } from '../forge/pull-request/markdown.ts'
import type { ChangeGroup } from '../render/plan-pool.ts'
import { nameList, shownChange } from './paint.ts'
import { windowText } from './plan/window-view.ts'
import { remarks, summary, waveConditions } from './plan-text.ts'
import type { PlanView, PoolPlanView, WaveView } from './plan-view.ts'
import { ALL_UNITS, formatSpan } from './simulate/simulation-text.ts'

/** The plan as a comment on a pull request. */
export function planMarkdown(view: PlanView): string {
  const changed = view.pools.filter(({ touched, problems, refusals }) =>
    [touched, problems, refusals].some((list) => list.length > 0),
  )
  const told = view.pools.filter((pool) => changed.includes(pool) || (pool.runs?.notes ?? []).length > 0)
  const rest = view.pools.filter((pool) => !told.includes(pool)).map(({ pool }) => pool)
  return `${[
    `### Plan ${code(view.from)} → ${code(view.to)}`,
    ...(changed.length > 1 ? [poolTable(changed)] : []),
    ...(view.estimate === undefined ? [] : [`Estimate: ${escaped(view.estimate)}`]),
    ...remarks(view).map((remark) => `> ${escaped(remark)}`),
    ...told.map(poolMarkdown),
    ...(rest.length > 0 ? [`No change: ${rest.map(code).join(', ')}`] : []),
  ].join('\n\n')}\n`
}

function poolTable(pools: readonly PoolPlanView[]): string {
  const rows = pools.map(
    ({ pool, touched, nodes, disruption, waves }) =>
      `| ${code(pool)} | ${touched.length} of ${nodes.length} | ${disruption} | ${waves.filter((wave) => wave.nodes.length > 0).length} |`,
  )
  return ['| pool | nodes that change | greatest disruption | waves |\n|---|---|---|---|', ...rows].join('\n')
}

function poolMarkdown(pool: PoolPlanView): string {
  return [
    `#### ${code(pool.pool)}: ${summary(pool)}`,
    ...(pool.runs === undefined ? [] : [`Runs: ${escaped(pool.runs.text)}`]),
    ...(pool.runs?.notes ?? []).map((note) => `> ${escaped(note)}`),
    ...pool.groups.map((group) => groupMarkdown(group, pool.groups.length > 1)),
    ...(pool.pods === undefined ? [] : [`Pods: ${escaped(pool.pods)}`]),
    ...(pool.controlPlane === undefined ? [] : [`Control plane: ${escaped(pool.controlPlane)}`]),
    ...(pool.window === undefined ? [] : [`Window: ${escaped(windowText(pool.window))}`]),
    ...(pool.waves.length > 0 ? [waveTable(pool.waves)] : []),
    ...pool.warnings.map((warning) => `> **Warning:** ${escaped(warning)}`),
    ...pool.refusals.map(
      ({ message, remedy, where }) => `> **Refused:** ${escaped([message, remedy ?? []].flat().join('; '))} ${code(where)}`,
    ),
    ...pool.problems.map(({ message, where }) => `> **Error:** ${escaped(message)} ${where.map(code).join(', ')}`),
  ].join('\n\n')
}

function waveTable(waves: readonly WaveView[]): string {
  const rows = waves
    .filter(({ nodes }) => nodes.length > 0)
    .map((wave) => {
      const cells = [wave.name, nameList(wave.nodes), waveConditions(wave)].map(escaped)
      return `| ${[...cells, ...timesOf(wave)].join(' | ')} |`
    })
  return ['| wave | nodes | conditions | begins | lasts |\n|---|---|---|---|---|', ...rows].join('\n')
}

function timesOf({ begins, lasts }: WaveView): string[] {
  return begins === undefined || lasts === undefined
    ? ['', '']
    : [`+${formatSpan(begins * 1000, ALL_UNITS)}`, formatSpan(lasts * 1000)]
}

function groupMarkdown({ nodes, changes, reasons }: ChangeGroup, isOneOfMany: boolean): string {
  const rows = changes.map((change) => `| ${[change.path.join('.'), ...shownChange(change)].map(code).join(' | ')} |`)
  const table = rows.length > 0 ? ['| what | from | to |\n|---|---|---|', ...rows].join('\n') : ''
  const because = reasons.map((reason) => `- ${escaped(reason)}`).join('\n')
  return [...(isOneOfMany ? [escaped(nameList(nodes))] : []), table, because].filter(Boolean).join('\n\n')
}
