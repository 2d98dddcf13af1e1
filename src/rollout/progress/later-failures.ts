import { byText } from '../../protocol/by-text.ts'
import type { LaterFailures } from '../../protocol/node-pool.ts'
import { type Instant, isFromAhead, stamp } from '../model/instant.ts'
import type { NodeView } from '../model/node-view.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import type { Memory } from '../model/snapshot.ts'
import { failuresOf, withLaterFailures } from '../model/target-failures.ts'

/** A status is one object: of more nodes that fail at a time, or are gone, the others are not remembered. */
const REMEMBERED = 100

/**
 * What the pool is to remember of failures since its rollout completed; undefined when it does already. Broken machines are replaced,
 * and a Node that is gone tells nothing.
 */
export function rememberLaterFailures(state: PoolState): Memory | undefined {
  const { memory } = state.rollout
  const before = memory.history[0]?.laterFailures
  const failing = failingNodes(state)
  if (failing.length === 0 && before === undefined) return undefined
  const after = laterFailures(before ?? NONE, { failing, state })
  return isSame(before, after) ? undefined : { ...memory, history: withLaterFailures(memory.history, after) }
}

const NONE: LaterFailures = { nodes: [] }

function failingNodes(state: PoolState): readonly NodeView[] {
  const nodes = failuresOf(state).map(({ node }) => node)
  return nodes.sort(byText(({ name }) => name)).slice(0, REMEMBERED)
}

interface Found {
  readonly failing: readonly NodeView[]
  readonly state: PoolState
}

function laterFailures(before: LaterFailures, { failing, state }: Found): LaterFailures {
  const present = presentNodes(before, state.members)
  const replaced = replacedMachines(before, { present, state })
  const uids = failing.flatMap(({ uid }) => uid ?? [])
  if (replaced.replaced !== undefined) uids.push(...uidsGone(before, present))
  return { nodes: failing.map(({ name }) => name), ...replaced, ...(uids.length > 0 && { uids }) }
}

/** That the content works on a machine that got it afterwards ends the count. One that is back in the pool was not replaced. */
function replacedMachines(
  before: LaterFailures,
  { present, state }: { readonly present: PresentNodes; readonly state: PoolState },
): Pick<LaterFailures, 'replaced' | 'since'> {
  const { members, now } = state
  const since = lastGone(before, state)
  const isProven = since !== undefined && members.some((member) => worksSince(since, { member, now }))
  const known = isProven ? 0 : Math.max(0, (before.replaced ?? 0) - countBack(before, present))
  const gone = before.nodes.filter((name) => !present.has(name)).length
  if (gone > 0) return { replaced: known + gone, since: stamp(Math.max(now, since ?? now)) }
  return known > 0 && since !== undefined ? { replaced: known, since: stamp(since) } : {}
}

/**
 * A clock that is put back a little ends no count: what was assigned before would seem to be assigned since. One that was further ahead than
 * work may take would keep the count for as long: no machine works on since then.
 */
function lastGone({ since }: LaterFailures, { now, clock }: Pick<PoolState, 'now' | 'clock'>): Instant | undefined {
  const at = since === undefined ? undefined : Date.parse(since)
  return at !== undefined && isFromAhead(at, { now, longest: clock.applyTimeout }) ? now : at
}

/** The pass that finds a machine gone may assign the next one. A stamp of the future is of a clock that was put back since: it tells nothing. */
function worksSince(since: Instant, { member, now }: { readonly member: Member; readonly now: Instant }): boolean {
  const { at = 0 } = member.node.assigned ?? {}
  return member.progress.phase === 'Current' && at >= since && at <= now
}

/** By name. */
type PresentNodes = ReadonlyMap<string, NodeView>

/** A Node of the same name that was assigned nothing yet, or that has another uid, is of another machine. */
function presentNodes({ nodes, uids }: LaterFailures, members: readonly Member[]): PresentNodes {
  const [failed, known] = [new Set(nodes), uids && new Set(uids)]
  const present = new Map<string, NodeView>()
  for (const { node } of members) {
    if (node.assigned === undefined || node.leaving) continue
    const isAnother = failed.has(node.name) && node.uid !== undefined && known?.has(node.uid) === false
    if (!isAnother) present.set(node.name, node)
  }
  return present
}

/** Those that count as gone, and are members again: their labels had changed. */
function countBack({ nodes, uids = [] }: LaterFailures, present: PresentNodes): number {
  const [failed, known] = [new Set(nodes), new Set(uids)]
  const isBack = ({ name, uid }: NodeView): boolean => uid !== undefined && known.has(uid) && !failed.has(name)
  return [...present.values()].filter(isBack).length
}

/** The last ones first. */
function uidsGone({ uids = [] }: LaterFailures, present: PresentNodes): readonly string[] {
  const found = new Set([...present.values()].map(({ uid }) => uid))
  return uids.filter((uid) => !found.has(uid)).slice(0, REMEMBERED)
}

function isSame(before: LaterFailures | undefined, { nodes, replaced, since, uids = [] }: LaterFailures): boolean {
  if (before?.replaced !== replaced || before?.since !== since) return false
  return String(before?.nodes ?? []) === String(nodes) && String(before?.uids ?? []) === String(uids)
}
