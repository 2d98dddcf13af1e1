import { NODE_PHASES } from '../../protocol/node-pool.ts'
import { shortRevision } from '../../protocol/revision-id.ts'
import { paintFor, tableLines } from '../paint.ts'
import { printable } from '../printable.ts'
import { controlLines, heldLines, rebootLines } from './control-lines.ts'
import { noPoolsLines } from './first-commit.ts'
import { byName, isReady, isStalled, type PoolStatusView } from './pool-view.ts'

const HEADER = ['POOL', 'REVISION', 'WAVE', 'UPDATED', 'READY', 'PAUSED', 'REASON', 'NODES']
const PAUSED = HEADER.indexOf('PAUSED')

/** What a person wants to know of the fleet: a table of pools, what they wait for, and the nodes that failed. */
export function renderStatus(pools: readonly PoolStatusView[], { color }: { readonly color: boolean }): string[] {
  if (pools.length === 0) return noPoolsLines(undefined)
  const sorted = [...pools].sort(byName)
  const paint = paintFor({ color })
  const cells = [HEADER, ...sorted.map(poolRow)]
  // The column stands where there is something to tell.
  const isPaused = sorted.some(({ controls }) => controls?.paused !== undefined) || sorted.some(isFleetPaused)
  const [header = '', ...rows] = tableLines(isPaused ? cells : cells.map((row) => row.toSpliced(PAUSED, 1)))
  const painted = sorted.map((pool, index) => (isReady(pool) ? paint.green : paint.yellow)(rows[index] ?? ''))
  return [header, ...painted, ...sorted.flatMap(describePool), ...failedNodes(sorted)]
}

/** One line for each change, where nothing can be redrawn. */
export function renderLine(pool: PoolStatusView): string {
  const [name, revision, , updated, , , reason] = poolRow(pool)
  if (reason === '') return `${name}: no status yet`
  // What a stalled pool says is about its obstacle; otherwise it says how far it has come.
  const progress = isStalled(pool) ? ` at ${revision}, ${updated} nodes` : ''
  return `${name}: ${reason}${progress}; ${printable(messageOf(pool).join(' '))}${failures(pool)}`
}

function isFleetPaused({ status }: PoolStatusView): boolean {
  return status.observedControls?.fleetPaused !== undefined
}

/** By whom the pool is held up: by a pause of its own, or by one of the whole fleet. */
function pausedBy(pool: PoolStatusView): string {
  if (pool.controls?.paused !== undefined) return 'Pool'
  return isFleetPaused(pool) ? 'Fleet' : ''
}

function poolRow(pool: PoolStatusView): string[] {
  const { name, status } = pool
  const ready = status.conditions?.find(({ type }) => type === 'Ready')
  const { summary } = status
  const phases = NODE_PHASES.flatMap((phase) => {
    const count = status.nodes?.byPhase[phase]
    return count === undefined ? [] : [`${count} ${phase}`]
  })
  return [
    name,
    summary?.revision ?? '',
    summary?.wave ?? '',
    summary?.updated ?? '',
    ready?.status ?? 'Unknown',
    pausedBy(pool),
    ready?.reason ?? '',
    phases.join(', '),
  ].map(printable)
}

/** The target in words, and what Ready says unless all is well. */
function describePool(pool: PoolStatusView): string[] {
  const { target } = pool.status
  const said = isReady(pool) ? [] : messageOf(pool)
  const lines = [
    ...(target
      ? [`${shortRevision(target.revision, 12)} ${target.subject ?? ''}${target.author ? ` (${target.author})` : ''}`]
      : []),
    ...said,
    ...controlLines(pool, said.join(' ')),
    ...heldLines(pool),
    ...rebootLines(pool),
  ]
  return lines.length === 0 ? [] : ['', `${printable(pool.name)}:`, ...lines.map((line) => `  ${printable(line)}`)]
}

function failedNodes(pools: readonly PoolStatusView[]): string[] {
  const rows = pools.flatMap(({ name, status }) =>
    (status.failed ?? []).map(({ node, reason, message }) => [node, name, reason, message].map(printable)),
  )
  return rows.length === 0 ? [] : ['', ...tableLines([['FAILED NODE', 'POOL', 'REASON', 'MESSAGE'], ...rows])]
}

function messageOf({ status }: PoolStatusView): string[] {
  const ready = status.conditions?.find(({ type }) => type === 'Ready')
  return ready ? ready.message.split('\n') : []
}

function failures({ status: { failed = [] } }: PoolStatusView): string {
  if (failed.length === 0) return ''
  return `; failed: ${failed.map(({ node, message }) => printable(`${node}: ${message}`)).join('; ')}`
}
