import { isSameData } from '../../protocol/same-data.ts'
import { type Capacity, capacityOf } from '../../render/node-capacity.ts'
import type { NodeFacts } from '../../render/node-facts.ts'

/** What some content of a node was calculated from when it was assigned. */
export interface CalculatedFrom extends Capacity {
  /** Of the pool. */
  readonly fingerprint: string
}

export interface RenderedFrom extends CalculatedFrom {
  /** Of contents before, the newest first: a rollback gives the node the numbers that it had. */
  readonly before?: readonly CalculatedFrom[]
}

/** A rollout may fail, and the one with its correction, before the pool returns to what it completed. */
const MOST_BEFORE = 3

/** @param last what the node has now */
export function formatRenderedFrom({ fingerprint, cpu, memory }: CalculatedFrom, last?: RenderedFrom): string {
  const before = notesOf(last)
    .filter((note) => note.fingerprint !== fingerprint)
    .slice(0, MOST_BEFORE)
  return JSON.stringify({ fingerprint, cpu, memory, ...(before.length > 0 && { before }) })
}

/** The kubelet may write it, as it may its capacity: both have the same bounds. @returns undefined for what is absent or malformed */
export function parseRenderedFrom(annotation: string | undefined): RenderedFrom | undefined {
  if (annotation === undefined || annotation.length > MAX_ANNOTATION) return undefined
  try {
    const parsed = JSON.parse(annotation) ?? {}
    const [note] = noteIn(parsed)
    if (note === undefined || !Array.isArray(parsed.before)) return note
    return { ...note, before: parsed.before.slice(0, MOST_BEFORE).flatMap(noteIn) }
  } catch {
    return undefined
  }
}

const MAX_ANNOTATION = 2000

function noteIn(parsed: unknown): CalculatedFrom[] {
  const { fingerprint, ...capacity } = (parsed ?? {}) as Readonly<Record<string, unknown>>
  return typeof fingerprint === 'string' ? [{ fingerprint, ...capacityOf(capacity) }] : []
}

function notesOf(from: RenderedFrom | undefined): CalculatedFrom[] {
  if (from === undefined) return []
  const { before = [], ...last } = from
  return [last, ...before]
}

interface Content {
  readonly fingerprint: string
  readonly readsCapacity?: true
}

interface RenderedNode {
  readonly facts: NodeFacts
  readonly renderedFrom?: RenderedFrom | undefined
}

/** By facts and fingerprint, the same object again. */
const kept = new WeakMap<NodeFacts, Map<string, { readonly from: CalculatedFrom; readonly facts: NodeFacts }>>()

/**
 * What the node is rendered from. A machine that reports another capacity keeps its numbers until the content of its pool changes: so new
 * numbers come through the waves of a rollout, what fails on the canary reaches no other, and a rollback takes them back.
 */
export function factsFor({ facts, renderedFrom }: RenderedNode, pool: Content): NodeFacts {
  const from = pool.readsCapacity && notesOf(renderedFrom).find(({ fingerprint }) => fingerprint === pool.fingerprint)
  if (!from) return facts
  const ofFacts = kept.get(facts) ?? new Map()
  const known = ofFacts.get(from.fingerprint)
  if (known && isSameData(known.from, from)) return known.facts
  const { cpu, memory, ...rest } = facts
  const { fingerprint, ...capacity } = from
  const made = { ...rest, ...capacity }
  const same = isSameData(made, facts) ? facts : made
  if (ofFacts.size > MOST_BEFORE) ofFacts.clear()
  kept.set(facts, ofFacts.set(fingerprint, { from, facts: same }))
  return same
}
