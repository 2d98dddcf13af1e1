import type { HistoryEntry } from '../../src/protocol/node-pool.ts'
import type { Instant } from '../../src/rollout/model/instant.ts'
import type { Memory } from '../../src/rollout/model/snapshot.ts'
import { isReady, type NodeState, type State } from './state.ts'

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
export function keyOf({ now, nodes, pools, head, controls }: State): string {
  const templates = pools.map(({ memory }) => templateOf(memory))
  const ages = agesOf(now, [...nodes.flatMap(instantsOf), ...templates.flatMap(({ instants }) => instants)])
  const age = (at: Instant): number => ages.get(at) ?? 0
  const began = new Map(pools.map(({ name, memory }) => [name, Date.parse(memory.history[0]?.startedAt ?? '')]))
  const ofNodes = nodes.map((node) => numberOf(nodeKey(node, { now, age, began: began.get(node.pool) ?? now })))
  const ofPools = pools.map(({ controls, promoted }, index) => {
    const { id, instants } = templates[index] ?? { id: 0, instants: [] }
    return numberOf(`${id}:${instants.map(age).join()}${JSON.stringify(controls)}${promoted}`)
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
  const text = JSON.stringify({ ...memory, history: memory.history.map(readEntry) }, (key, value) =>
    TOLD_ONLY.includes(key) ? undefined : value,
  )
  const instants = (text.match(STAMP) ?? []).map((stamp) => Date.parse(stamp))
  const rest = text.replace(STAMP, '')
  const id = ids.get(rest) ?? ids.size
  ids.set(rest, id)
  const template = { id, instants }
  known.set(memory, template)
  return template
}

/** What is read of a rollout that is over is its content and its end. */
function readEntry({ revision, fingerprint, startedAt, result, failures }: HistoryEntry, index: number): Partial<HistoryEntry> {
  return index === 0
    ? { revision, fingerprint, startedAt, result, ...(failures !== undefined && { failures }) }
    : { revision, fingerprint, result }
}

/** Those whose order is read, however long ago they are. */
function instantsOf(node: NodeState): Instant[] {
  const { readySince, assigned, status, seenAs } = node
  const instants = assigned?.at === undefined ? [] : [assigned.at]
  if (!isReady(node)) instants.push(readySince, ...(status && isAboutNow(assigned, status) ? [Date.parse(status.since)] : []))
  if (seenAs) instants.push(seenAs.readySince, ...(seenAs.assigned?.at === undefined ? [] : [seenAs.assigned.at]))
  return instants
}

/** What an agent says about an earlier assignment is not read, but for what its node runs. */
function isAboutNow(assigned: NodeState['assigned'], { assignedAt }: { readonly assignedAt?: string | undefined }): boolean {
  return assigned?.at !== undefined && Date.parse(assignedAt ?? '') === assigned.at
}

function nodeKey(node: NodeState, { now, age, began }: Clock): string {
  const { name, active, assigned, status, seenAs, wasSound, createdAt, readySince } = node
  const flags = [node.up, node.ruined, node.silent, node.unschedulable, node.held, wasSound, createdAt > began]
    .map(Number)
    .join('')
  // Of a node that is Ready, it is read how long it has been so, and not what came before what.
  const ageOf = isReady(node) ? (at: Instant): number => Math.min(LONGEST_AGE, now - at) : age
  const task = assigned ? `${assigned.digest},${assigned.revision},${assigned.grant},${age(assigned.at ?? 0)}` : ''
  const since =
    status && isAboutNow(assigned, status) ? `${status.phase},${status.assigned},${ageOf(Date.parse(status.since))}` : ''
  const seen = seenAs ? `${seenAs.ready},${seenAs.unschedulable},${seenAs.assigned?.digest},${age(seenAs.assigned?.at ?? 0)}` : ''
  const ages = `${Math.min(LONGEST_AGE, now - createdAt)},${ageOf(readySince)}`
  return `${name}.${node.pool},${flags},${active},${ages};${task};${since}${status?.active};${seen}`
}

function agesOf(now: Instant, instants: readonly Instant[]): ReadonlyMap<Instant, number> {
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
