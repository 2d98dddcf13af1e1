import * as z from 'zod'
import type { KubeObject } from '../../kube/kube-api.ts'
import { parseAgentStatus } from '../../protocol/agent-status.ts'
import { foreignText } from '../../protocol/foreign-text.ts'
import type { Names } from '../../protocol/names.ts'
import type { PoolStatusView } from '../status/pool-view.ts'

/** What somebody reported of a node, and when. */
export interface LogEntry {
  /** RFC 3339; empty when nobody says when. */
  readonly at: string
  /** `agent`, `kubelet`, `nodewave-controller`, or who else wrote an event. */
  readonly source: string
  readonly reason: string
  /** Its lines are apart, without control characters. */
  readonly lines: readonly string[]
  /** How often, where it is more than once. */
  readonly count?: number
}

/** Of what comes without end: events, and conditions that a node invents. Reports are few, and always shown. */
const MOST = 200
const LONGEST_MESSAGE = 4000
const LONGEST_WORD = 100

/** Pure: the oldest first, as logs are read. */
export function logEntries(
  node: KubeObject,
  {
    events,
    pools,
    names,
  }: { readonly events: readonly LogEntry[]; readonly pools: readonly PoolStatusView[]; readonly names: Names },
): readonly LogEntry[] {
  const many = [events, conditionEntries(node)].flatMap((entries) => inOrder(entries).slice(-MOST))
  return inOrder([...many, ...failureEntries(node, pools), ...agentEntries(node, names)])
}

function inOrder(entries: readonly LogEntry[]): readonly LogEntry[] {
  return entries.toSorted((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)))
}

/** What the agent reports now, with the last lines of the kubelet where it failed. */
function agentEntries({ metadata: { annotations = {} } }: KubeObject, names: Names): LogEntry[] {
  const status = parseAgentStatus(annotations[names.status])
  if (status === undefined) return []
  const { phase, since, error, needs, drift = [] } = status
  const lines = [
    ...(error === undefined ? [] : linesOf(`${error.reason}: ${error.message}`)),
    ...(needs === undefined ? [] : [`needs ${needs}`]),
    ...(drift.length === 0 ? [] : [`drift: ${drift.join(', ')}`]),
  ]
  return [{ at: instant(since), source: 'agent', reason: phase, lines }]
}

/** A pool keeps the failure of a node after the agent has gone on to something else. */
function failureEntries({ metadata: { name } }: KubeObject, pools: readonly PoolStatusView[]): LogEntry[] {
  return pools.flatMap(({ name: pool, status }) =>
    (status.failed ?? [])
      .filter(({ node }) => node === name)
      .map(({ reason, message }) => ({
        ...{ at: '', source: `pool/${pool}`, reason: word(reason) },
        lines: linesOf(message),
      })),
  )
}

const conditions = z.array(
  z.object({
    type: z.string(),
    status: z.string(),
    reason: z.string().default(''),
    message: z.string().default(''),
    lastTransitionTime: z.string().default(''),
  }),
)

/** What the kubelet says of its node, where that is no good news. */
function conditionEntries({ status }: KubeObject): LogEntry[] {
  const parsed = conditions.safeParse(Object(status).conditions)
  const bad = (parsed.data ?? []).filter((condition) => condition.status !== (condition.type === 'Ready' ? 'True' : 'False'))
  return bad.map(({ type, status: is, reason, message, lastTransitionTime }) => ({
    ...{ at: instant(lastTransitionTime), source: 'kubelet', reason: word(`${type}=${is}`) },
    lines: linesOf([reason, message].filter(Boolean).join(': ')),
  }))
}

const event = z.object({
  reason: z.string().default(''),
  message: z.string().default(''),
  source: z.object({ component: z.string().default('') }).nullish(),
  reportingComponent: z.string().nullish(),
  firstTimestamp: z.string().nullish(),
  lastTimestamp: z.string().nullish(),
  eventTime: z.string().nullish(),
  count: z.number().nullish(),
  series: z.object({ count: z.number(), lastObservedTime: z.string() }).nullish(),
})

/** @returns undefined of what is no event */
export function entryOfEvent(object: KubeObject): LogEntry | undefined {
  const { data } = event.safeParse(object)
  if (data === undefined) return undefined
  const { source, reportingComponent, series, count, lastTimestamp, eventTime, firstTimestamp, reason, message } = data
  const times = series?.count ?? count ?? 1
  return {
    at: instant(series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp ?? ''),
    source: word(source?.component || reportingComponent || 'unknown'),
    reason: word(reason),
    lines: linesOf(message),
    ...(times > 1 && { count: times }),
  }
}

function instant(stamp: string): string {
  const at = Date.parse(stamp)
  return Number.isNaN(at) ? '' : new Date(at).toISOString()
}

function word(text: string): string {
  return foreignText(text, LONGEST_WORD)
}

/** Reports have the line breaks of the kubelet's output escaped. */
function linesOf(message: string): string[] {
  return foreignText(message, LONGEST_MESSAGE)
    .split('\\n')
    .filter((line) => line.trim() !== '')
}
