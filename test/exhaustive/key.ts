import type { HistoryEntry } from '../../src/protocol/node-pool.ts'
import type { RebootOrder } from '../../src/protocol/reboot-order.ts'
import type { Instant } from '../../src/rollout/model/instant.ts'
import type { Memory } from '../../src/rollout/model/snapshot.ts'
import type { Scope } from './scope.ts'
import { bootId, isReady, type NodeState, type State } from './state.ts'

const MINUTE = 60_000
/** Longer than every timeout of a scope: an hour ago is as good as a day ago. */
const LONGEST_AGE = 8 * MINUTE
/** Longer than every soak: further apart, two instants are only before and after each other. */
const LONGEST_SOAK = 3 * MINUTE

/** What no decision reads, or what only tells people. */
const TOLD_ONLY = ['conditions', 'controls', 'failed', 'held', 'nodes', 'rollbackTo', 'summary', 'observedRevision']
const STAMP = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g

/**
 * The same text for states that differ only in when they are: instants are written as the distance to now, and distances
 * that are longer than every timeout are all the same.
 */
export function keyOf({ now, nodes, pools, head, controls }: State, { fleet: { maxFailures } }: Scope): string {
  const templates = pools.map(({ memory }) => templateOf(memory))
  const ages = agesOf(now, {
    exact: nodes.flatMap(exactInstants),
    ordered: [...nodes.flatMap(orderedInstants), ...templates.flatMap(({ instants }) => instants)],
  })
  const age = (at: Instant): number => ages.get(at) ?? 0
  const began = new Map(pools.map(({ name, memory }) => [name, Date.parse(memory.history[0]?.startedAt ?? '')]))
  const ofNodes = nodes.map((node) => numberOf(nodeKey(node, { now, age, began: began.get(node.pool) ?? now })))
  const ofPools = pools.map(({ controls, promoted, memory }, index) => {
    const { id, instants } = templates[index] ?? { id: 0, instants: [] }
    const failures = maxFailures ? failuresOf(memory) : ''
    return numberOf(`${id}:${instants.map(age).join()}${JSON.stringify(controls)}${promoted}${failures}`)
  })
  return `${head}${controls.paused ?? ''}|${ofNodes.join()}|${ofPools.join()}`
}

const numbers = new Map<string, number>()

/** Millions of states are made of some thousands of nodes and pools: a state is named by their numbers. */
function numberOf(part: string): number {
  const number = numbers.get(part) ?? numbers.size
  if (number === numbers.size) numbers.set(part, number)
  return number
}

interface Clock {
  readonly now: Instant
  readonly age: (at: Instant) => number
  /** When the last rollout of the node's pool began. */
  readonly began: Instant
}

interface Template {
  /** Of the text between the instants. */
  readonly id: number
  readonly instants: readonly Instant[]
}

const known = new WeakMap<Memory, Template>()
const ids = new Map<string, number>()

/** Whether no decision would differ: what only tells people may. */
export function isSameMemory(a: Memory, b: Memory): boolean {
  const [one, other] = [templateOf(a), templateOf(b)]
  return one.id === other.id && one.instants.every((at, index) => at === other.instants[index])
}

/** Many states share a memory. */
function templateOf(memory: Memory): Template {
  const found = known.get(memory)
  if (found) return found
  const text = JSON.stringify(whatIsRead(memory), (key, value) => (TOLD_ONLY.includes(key) ? undefined : value))
  const instants = (text.match(STAMP) ?? []).map((stamp) => Date.parse(stamp))
  const rest = text.replace(STAMP, '')
  const id = ids.get(rest) ?? ids.size
  ids.set(rest, id)
  const template = { id, instants }
  known.set(memory, template)
  return template
}

/** Rejected contents are a set; a promotion is of the rollout on top, or of one that is over, or of the next one. */
function whatIsRead({ history, rejected, promotion, rollback, ...memory }: Memory): object {
  const [top] = history
  const bound = promotion?.rollout === undefined ? 'next' : promotion.rollout === top?.startedAt ? 'top' : 'over'
  return {
    ...memory,
    history: readHistory(history),
    rejected: rejected.toSorted((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1)),
    promotion: promotion && { ...promotion, rollout: bound },
    rollback: rollback && { to: rollback.to, from: rollback.from },
  }
}

/** What is read of rollouts that are over is which contents the pool went for last, and which of them completed. */
function readHistory([top, ...older]: Memory['history']): readonly object[] {
  if (!top) return []
  const { revision, fingerprint, startedAt, result, failures, laterFailures, losses, retriedAt } = top
  const contents = Map.groupBy(older, (entry) => entry.fingerprint)
  const before = [...contents].map(([content, entries]) => ({
    content,
    revision: content === fingerprint ? '' : entries[0]?.revision,
    hasCompleted: entries.some((entry) => entry.result === 'Completed'),
    isAbandoned: entries.find((entry) => entry.result === 'Completed')?.abandoned,
  }))
  return [{ revision, fingerprint, startedAt, result, failures, laterFailures, losses, retriedAt }, ...before]
}

/** What a stopped fleet counts: the failures of the last rollout to each content, and of those before it until one did not fail. */
function failuresOf({ history }: Memory): string {
  const contents = [...Map.groupBy(history, ({ fingerprint }) => fingerprint).values()]
  return contents.map(([latest, ...older]) => `${latest && isFailed(latest)}${countOf(latest, older)}`).join()
}

function countOf(latest: HistoryEntry | undefined, older: readonly HistoryEntry[]): number {
  const ended = older.findIndex((entry) => !isFailed(entry))
  const tried = [...(latest ? [latest] : []), ...older.slice(0, ended < 0 ? older.length : ended)]
  return tried.reduce((sum, { failures = 0 }) => sum + failures, 0)
}

function isFailed({ result }: HistoryEntry): boolean {
  return result === 'Halted' || result === 'RolledBack'
}

/** Those whose distance to now or to each other is read. */
function exactInstants(node: NodeState): Instant[] {
  const { readySince, assigned, status, seenAs } = node
  const instants = assigned?.at === undefined || hasEnded(node) ? [] : [assigned.at]
  if (!isReady(node)) instants.push(readySince, ...(status && isAboutNow(assigned, status) ? [Date.parse(status.since)] : []))
  if (seenAs) instants.push(seenAs.readySince, ...(seenAs.assigned?.at === undefined ? [] : [seenAs.assigned.at]))
  return instants
}

/** Those of which it is read only what came before what: when a rollout began, and when a node got what it serves with. */
function orderedInstants(node: NodeState): Instant[] {
  return node.assigned?.at !== undefined && hasEnded(node) ? [node.assigned.at] : []
}

/** It serves, and its agent has ended the work: no deadline counts from the assignment. */
function hasEnded(node: NodeState): boolean {
  return isReady(node) && node.status !== undefined && isAboutNow(node.assigned, node.status)
}

/** What an agent says about an earlier assignment is not read, but for what its node runs. */
function isAboutNow(assigned: NodeState['assigned'], { assignedAt }: { readonly assignedAt?: string | undefined }): boolean {
  return assigned?.at !== undefined && Date.parse(assignedAt ?? '') === assigned.at
}

function nodeKey(node: NodeState, { now, age, began }: Clock): string {
  const { name, active, assigned, status, seenAs, wasSound, createdAt, readySince } = node
  const flags = [node.up, node.ruined, node.silent, node.unschedulable, node.held, wasSound, wasNeverReady(node)].map(Number)
  // Of a node that is Ready, it is read whether it has been so for a soak, and not what came before what.
  const ageOf = isReady(node) ? (at: Instant): number => Math.min(LONGEST_SOAK, now - at) : age
  const task = assigned ? `${assigned.digest},${assigned.revision},${assigned.grant},${age(assigned.at ?? 0)}` : ''
  const since =
    status && isAboutNow(assigned, status)
      ? `${status.phase},${status.error?.reason ?? ''},${status.assigned},${ageOf(Date.parse(status.since))}`
      : ''
  const seen = seenAs ? `${seenAs.ready},${seenAs.unschedulable},${seenAs.assigned?.digest},${age(seenAs.assigned?.at ?? 0)}` : ''
  const ages = `${Math.sign(createdAt - began)},${Math.min(LONGEST_AGE, now - createdAt)},${ageOf(readySince)}`
  return `${name}.${node.pool},${flags.join('')},${active},${ages};${task};${since}${status?.active};${seen}${rebootKey(node)}`
}

/** Boots are only the same as that of a request or an order, or others; and so are their instants. */
function rebootKey(node: NodeState): string {
  const { assigned, rebootRequest, rebooting, seenAs, status } = node
  const [order, seen] = [assigned?.reboot, seenAs?.assigned?.reboot]
  if (!order && !seen && !rebootRequest && !rebooting) return ''
  const keyOfOrder = (each: RebootOrder | undefined): string =>
    each ? `${each.boot === bootId(node)}${each.at !== undefined && each.at === rebootRequest?.at}` : ''
  const asked = rebootRequest ? rebootRequest.boot === bootId(node) : ''
  return `;${rebooting},${keyOfOrder(order)},${keyOfOrder(seen)},${asked},${status?.error?.reason}`
}

/** It registered, and has not been Ready since. */
function wasNeverReady(node: NodeState): boolean {
  return !isReady(node) && node.readySince <= node.createdAt + MINUTE
}

interface Instants {
  readonly exact: readonly Instant[]
  readonly ordered: readonly Instant[]
}

/** An instant of which only the order is read is a moment before the exact one that it follows, counted back from now. */
function agesOf(now: Instant, { exact, ordered }: Instants): ReadonlyMap<Instant, number> {
  const ages = exactAges(now, exact)
  let [last, moments] = [now, 0]
  for (const at of [...new Set([...exact, ...ordered])].sort((a, b) => b - a)) {
    if (exact.includes(at)) [last, moments] = [at, 0]
    else if (at !== now) ages.set(at, (ages.get(last) ?? 0) + ++moments)
  }
  return ages
}

function exactAges(now: Instant, instants: readonly Instant[]): Map<Instant, number> {
  const ages = new Map<Instant, number>([[now, 0]])
  let [last, age] = [now, 0]
  for (const at of [...new Set(instants)].sort((a, b) => b - a)) {
    if (at > now) ages.set(at, now - at)
    else {
      age += Math.min(age < LONGEST_AGE ? LONGEST_AGE : LONGEST_SOAK, last - at)
      last = at
      ages.set(at, age)
    }
  }
  return ages
}
