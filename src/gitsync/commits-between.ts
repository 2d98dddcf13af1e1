import { Errors } from 'isomorphic-git'
import { readCommitObject } from './commit-object.ts'
import type { ObjectStore } from './object-store.ts'

/** `tooMany`: more than anybody checks. `unknown`: the history on this machine ends before the question is answered. */
export type CommitsBetween =
  | { readonly kind: 'found'; readonly commits: readonly string[] }
  | { readonly kind: 'tooMany' | 'unknown' }

export interface BetweenOptions {
  readonly head: string
  /** Neither it nor what it descends from is of interest. */
  readonly from: string
  readonly limit?: number
}

export const MOST_COMMITS = 10_000
/** Commits that are looked at for one that is of interest. */
const LOOKS = 20

/**
 * As `git rev-list FROM..HEAD`, the newest first by the commits' own dates. A date is its maker's word: a wrong one can bring in commits
 * that descend to `from`, and never leaves one out that does not.
 */
export async function commitsBetween(
  store: ObjectStore,
  { head, from, limit = MOST_COMMITS }: BetweenOptions,
): Promise<CommitsBetween> {
  const walk = new Walk(store, from)
  await walk.add(head)
  await walk.add(from)
  for (let next = walk.next(); next !== undefined; next = walk.next()) {
    if (next.parents === undefined && !walk.isOld(next.id)) return { kind: 'unknown' }
    if (walk.count > limit || walk.size > LOOKS * limit) return { kind: 'tooMany' }
    for (const parent of next.parents ?? []) await walk.add(parent)
  }
  return { kind: 'found', commits: walk.found() }
}

interface Visit {
  readonly id: string
  /** Absent: the commit is not there. */
  readonly parents?: readonly string[]
  readonly date: number
}

class Walk {
  readonly #store: ObjectStore
  readonly #known = new Map<string, Visit>()
  readonly #old = new Set<string>()
  readonly #found = new Set<string>()
  /** By date: sorted again and again, the parents of one commit with tens of thousands of them would stop everything else. */
  readonly #waiting: Visit[] = []
  /** Of those that wait, the ones of interest. */
  readonly #open = new Set<string>()

  constructor(store: ObjectStore, from: string) {
    this.#store = store
    this.#old.add(from)
  }

  get size(): number {
    return this.#known.size
  }

  isOld(id: string): boolean {
    return this.#old.has(id)
  }

  get count(): number {
    return this.#found.size
  }

  found(): readonly string[] {
    return [...this.#found]
  }

  async add(id: string): Promise<void> {
    if (this.#known.has(id)) return
    const visit = await visitOf(this.#store, id)
    this.#known.set(id, visit)
    this.#waiting.splice(this.#placeOf(visit), 0, visit)
    if (this.isOld(id)) this.#markParents(visit)
    else this.#open.add(id)
  }

  /** @returns undefined when all that is left is of no interest */
  next(): Visit | undefined {
    if (this.#open.size === 0) return undefined
    const visit = this.#waiting.pop()
    if (visit && this.#open.delete(visit.id)) this.#found.add(visit.id)
    return visit
  }

  /** After those of the same date. */
  #placeOf({ date }: Visit): number {
    let [low, high] = [0, this.#waiting.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#waiting[middle]?.date ?? date) <= date) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Not one within the other: a branch of ten thousand commits may be found to be old at once. */
  #markParents(visit: Visit): void {
    const waiting = [visit]
    for (const { parents = [] } of waiting)
      for (const parent of parents) {
        if (this.isOld(parent)) continue
        this.#old.add(parent)
        this.#found.delete(parent)
        this.#open.delete(parent)
        const known = this.#known.get(parent)
        if (known) waiting.push(known)
      }
  }
}

async function visitOf(store: ObjectStore, id: string): Promise<Visit> {
  try {
    const { parents, committedAt } = await readCommitObject(store, id)
    return { id, parents, date: committedAt }
  } catch (error) {
    // What is not there comes last: it may turn out to be of no interest.
    if (error instanceof Errors.NotFoundError) return { id, date: Number.NEGATIVE_INFINITY }
    throw error
  }
}
