import { nodePoolsPath } from '../../controller/cache/node-pool-view.ts'
import type { KubeApi } from '../../kube/kube-api.ts'
import {
  type ControlRecord,
  HELD_SHOWN,
  type HistoryEntry,
  type NodePoolStatus,
  type OperatorAction,
  type RevisionRef,
} from '../../protocol/node-pool.ts'
import type { RequestedBy } from '../../protocol/requested-by.ts'
import { type PoolStatusView, projectPool } from '../status/pool-view.ts'

type Status = Partial<NodePoolStatus>

/** What is waited for in one pool. */
export interface AwaitedRecord {
  readonly pool: string
  /** Absent: the effect alone tells. */
  readonly action?: OperatorAction
  /** All of these must be in the record, or as many as it has. */
  readonly nodes?: readonly string[]
  /** When the record alone is not the effect: undefined while it is on its way. */
  readonly effect?: (status: Status) => Effect | undefined
  /** What was asked is done when the pool goes. */
  readonly mayGo?: true
}

export interface Effect {
  readonly ok: boolean
  readonly message: string
}

export interface WaitOutcome {
  readonly ok: boolean
  readonly messages: readonly string[]
}

export interface Awaiting {
  readonly awaits: readonly AwaitedRecord[]
  readonly by: RequestedBy
  readonly timeout: number
  /** Called with the awaited pools whenever one changes. */
  readonly tell?: (pools: readonly PoolStatusView[]) => void
}

/** Until the controller has recorded what was asked in every pool, and it has taken effect; or it is refused, or time is up. */
export async function awaitRecords(
  kube: KubeApi,
  { awaits, by, timeout, tell = () => undefined }: Awaiting,
): Promise<WaitOutcome> {
  const found = new Map<AwaitedRecord, Effect>()
  const known = new Map<string, PoolStatusView>()
  const signal = AbortSignal.timeout(timeout)
  for await (const event of kube.follow(nodePoolsPath(), { project: projectPool, signal })) {
    const pools = event.type === 'sync' ? event.items : event.type === 'upsert' ? [event.item] : []
    const isGone = (name: string): boolean =>
      event.type === 'delete' ? event.name === name : event.type === 'sync' && pools.every((pool) => pool.name !== name)
    for (const pool of pools) if (awaits.some((awaited) => awaited.pool === pool.name)) known.set(pool.name, pool)
    tell([...known.values()])
    for (const awaited of awaits) {
      const status = pools.find(({ name }) => name === awaited.pool)?.status
      const effect = isGone(awaited.pool) ? goneIn(awaited) : status && effectIn(status, { awaited, by })
      if (effect) found.set(awaited, effect)
    }
    if (awaits.every((awaited) => found.has(awaited))) break
  }
  const ends = awaits.map((awaited) => ({ awaited, effect: found.get(awaited) ?? NOT_YET }))
  return {
    ok: ends.every(({ effect }) => effect.ok),
    messages: ends.map(({ awaited, effect }) => `${awaited.pool}: ${effect.message}`),
  }
}

const NOT_YET: Effect = { ok: false, message: 'not yet; check that a controller runs, and check with: nodewave status' }

function goneIn({ mayGo }: AwaitedRecord): Effect {
  return { ok: mayGo === true, message: 'the pool is gone' }
}

function effectIn(
  status: Status,
  { awaited, by }: { readonly awaited: AwaitedRecord; readonly by: RequestedBy },
): Effect | undefined {
  if (awaited.action === undefined) return awaited.effect?.(status)
  const record = status.controls?.find((known) => known.action === awaited.action && isOf(known, by))
  if (!record || !hasAll(record, status, awaited.nodes)) return undefined
  if (record.outcome === 'Refused') return { ok: false, message: `refused: ${record.message}` }
  return awaited.effect ? awaited.effect(status) : { ok: true, message: record.message }
}

/** As far as the pool records them: of more nodes than a status shows, the first by name are shown, and the others are not recorded. */
function hasAll({ action, nodes: recorded = [] }: ControlRecord, { held = [] }: Status, nodes: readonly string[] = []): boolean {
  if (recorded.length >= HELD_SHOWN) return true
  const last = action === 'Hold' && held.length >= HELD_SHOWN ? held.at(-1)?.node : undefined
  return nodes.every((node) => recorded.includes(node) || (last !== undefined && node > last))
}

function isOf({ who, at }: ControlRecord, by: RequestedBy): boolean {
  return who === by.who && at === by.at
}

const AT_WORK = ['Cordoned', 'Draining', 'Assigned', 'Applying', 'Rebooting', 'Proving'] as const

/** Nothing is under way any more. */
export function isQuiet({ nodes }: Status): Effect | undefined {
  const busy = AT_WORK.some((phase) => (nodes?.byPhase[phase] ?? 0) > 0)
  return busy ? undefined : { ok: true, message: 'no node is changing' }
}

/** The controller has seen a pause that stood there before, and nothing is under way any more. */
export function isPausedAndQuiet(status: Status): Effect | undefined {
  const { paused, fleetPaused } = status.observedControls ?? {}
  return paused === undefined && fleetPaused === undefined ? undefined : isQuiet(status)
}

/**
 * The last run towards this content has come to its end; what followed it, such as the way back, is another.
 * @param before runs of before the request, which say nothing about it, unless an operator retried them since
 */
export function runEnded(
  { revision, fingerprint }: RevisionRef,
  before: readonly HistoryEntry[] = [],
): (status: Status) => Effect | undefined {
  const known = new Set(before.map(identity))
  return ({ history = [] }) => {
    const last = history.find((run) => run.fingerprint === fingerprint || run.revision === revision)
    return last && known.has(identity(last)) ? undefined : endOf(last)
  }
}

function identity({ startedAt, retriedAt = '' }: HistoryEntry): string {
  return `${startedAt} ${retriedAt}`
}

function endOf(run: HistoryEntry | undefined): Effect | undefined {
  if (!run || run.result === 'Running') return undefined
  const why = run.message === undefined ? '' : ` on ${run.message}`
  return { ok: run.result === 'Completed', message: `${run.revision.slice(0, 7)} ${run.result}${why}` }
}
