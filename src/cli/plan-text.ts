import type { ChangeGroup } from '../render/plan-pool.ts'
import { counted, folded, nameList, type Paint, shownChange, tableLines } from './paint.ts'
import { windowText } from './plan/window-view.ts'
import type { PlanView, PoolPlanView, WaveView } from './plan-view.ts'

interface Look {
  readonly paint: Paint
  readonly columns: number
}

/** How far what is said of a pool is indented below the word it begins with. */
const INDENT = 8

/** The plan for a terminal, a pool a paragraph. */
export function planText(view: PlanView, look: Look): string {
  const { paint } = look
  const paragraphs = [
    paint.bold(`${view.from} → ${view.to}`),
    ...view.pools.map((pool) => poolText(pool, look)),
    ...(view.estimate === undefined ? [] : [`estimate  ${view.estimate}`]),
    ...remarks(view).map((line) => paint.yellow(folded(line, look))),
  ]
  return `${paragraphs.join('\n\n')}\n`
}

/** What concerns no single pool that is there afterwards. */
export function remarks(view: PlanView): string[] {
  const { addedPools, removedPools, released, contested, unknownServer, held } = view
  return [
    ...(held.length > 0 ? [`needs promotion: ${held.join('; ')}`] : []),
    ...(unknownServer
      ? [
          'kubelet versions are not checked against the API server: its version is unknown; name it, such as --server-version 1.36',
        ]
      : []),
    ...addedPools.map((pool) => `pool ${pool} is new`),
    ...removedPools.map((pool) => `pool ${pool} is removed`),
    ...(released.length > 0 ? [`no pool selects ${nameList(released)} any more: these nodes keep their configuration`] : []),
    ...contested,
    ...(view.commitsOnly ? [`compared: ${view.from} → ${view.to}; ${COMMITS_ONLY[view.commitsOnly]}`] : []),
  ]
}

const COMMITS_ONLY = {
  NoCluster: 'no cluster was asked',
  NotReadable: 'the cluster has no NodePools, or does not allow to read them',
} as const

/** `1 of 40 nodes changes` */
export function changeCount(touched: number, all: number): string {
  return `${touched} of ${counted(all, 'node')} ${touched === 1 ? 'changes' : 'change'}`
}

/** `12 of 40 nodes change, each node is drained; 1 cannot be rendered` */
export function summary({ touched, nodes, disruption, problems }: PoolPlanView): string {
  const failing = new Set(problems.map(({ node }) => node)).size
  const all = counted(nodes.length, 'node')
  if (touched.length > 0)
    return `${changeCount(touched.length, nodes.length)}, ${disruptionText(disruption)}${failing > 0 ? `; ${failing} cannot be rendered` : ''}`
  if (failing > 0) return `${failing} of ${all} cannot be rendered`
  return nodes.length === 0 ? 'selects no node' : `no change for ${all}`
}

/** `canary: a (soak 10m) → rest: b, c`; waves without a node that changes are left out. */
function wavesText(waves: readonly WaveView[]): string {
  return waves
    .filter(({ nodes }) => nodes.length > 0)
    .map(waveText)
    .join(' → ')
}

function waveText(wave: WaveView): string {
  const conditions = waveConditions(wave)
  return `${wave.name}: ${nameList(wave.nodes)}${conditions === '' ? '' : ` (${conditions})`}`
}

/** What it waits for; empty: nothing. */
export function waveConditions({ soak, manual, gates }: WaveView): string {
  return [
    ...(manual ? ['after promotion'] : []),
    ...(soak > 0 ? [`soak ${durationText(soak)}`] : []),
    ...(gates.length > 0 ? [`then ${gates.length === 1 ? 'gate' : 'gates'} ${gates.join(', ')}`] : []),
  ].join(', ')
}

function poolText(pool: PoolPlanView, look: Look): string {
  const { paint } = look
  const fitted = (line: string): string => folded(line, { columns: look.columns, by: INDENT })
  return [
    `${paint.bold(pool.pool)}  ${summary(pool)}`,
    ...(pool.runs === undefined ? [] : [fitted(`  runs    ${pool.runs.text}`)]),
    ...(pool.runs?.notes ?? []).map((note) => paint.yellow(fitted(`  note    ${note}`))),
    ...pool.groups.flatMap((group) => groupLines(group, pool.groups.length > 1, look)),
    ...(pool.pods === undefined ? [] : [fitted(`  pods    ${pool.pods}`)]),
    ...(pool.controlPlane === undefined ? [] : [fitted(`  control plane  ${pool.controlPlane}`)]),
    ...(pool.window === undefined ? [] : [fitted(`  window  ${windowText(pool.window)}`)]),
    ...(pool.waves.length > 0 ? [fitted(`  waves   ${wavesText(pool.waves)}`)] : []),
    ...pool.warnings.map((warning) => paint.yellow(fitted(`  warning ${warning}`))),
    ...pool.refusals.flatMap(({ message, remedy, where }) => [
      paint.red(fitted(`  refused ${message}`)),
      ...[remedy ?? [], where].flat().map((line) => folded(`          ${line}`, look)),
    ]),
    ...pool.problems.flatMap(({ message, where }) => [
      paint.red(fitted(`  error   ${message}`)),
      ...where.map((place) => `          ${place}`),
    ]),
  ].join('\n')
}

function groupLines(
  { nodes, changes, disruption, reasons }: ChangeGroup,
  isOneOfMany: boolean,
  { paint, columns }: Look,
): string[] {
  const rows = changes.map((change) => {
    const [from, to] = shownChange(change)
    return [change.path.join('.'), `${paint.red(from)} → ${paint.green(to)}`]
  })
  return [
    ...(isOneOfMany ? [`  ${nameList(nodes)}: ${disruptionText(disruption)}`] : []),
    ...tableLines(rows).map((line) => `  ${line}`),
    ...reasons.map((reason) => paint.dim(folded(`  because ${reason}`, { columns, by: INDENT }))),
  ]
}

export function disruptionText(disruption: ChangeGroup['disruption']): string {
  return {
    none: 'no disruption',
    restart: 'the kubelet restarts',
    drain: 'each node is drained',
    reboot: 'each node reboots',
  }[disruption]
}

function durationText(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600}h`
  return seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`
}
