import type { RevisionRef } from '../../../src/protocol/node-pool.ts'

/** Of one pool: fingerprints of failed content, by commit. */
type NotesOfPool = ReadonlyMap<string, string>

/** By pool. */
export type Notes = ReadonlyMap<string, NotesOfPool>

const NONE: NotesOfPool = new Map()

/** Which commits failed on which pool, as the controller notes it on their ConfigMaps. */
export class RejectionNotes {
  /** As they stand in the cluster; a tool may replace them. */
  all: Notes = new Map()

  has(pool: string, fingerprint: string): boolean {
    return [...this.#of(pool).values()].includes(fingerprint)
  }

  /** Newest first. @param kept commits that have a ConfigMap, oldest first */
  of(pool: string, kept: Iterable<string>): readonly RevisionRef[] {
    const notes = this.#of(pool)
    return [...kept].reverse().flatMap((revision) => {
      const fingerprint = notes.get(revision)
      return fingerprint === undefined ? [] : [{ revision, fingerprint }]
    })
  }

  /** What the status says is noted on every ConfigMap that is there, and nothing else. */
  keep(pool: string, rejected: readonly RevisionRef[], kept: ReadonlySet<string>): void {
    this.all = new Map([...this.all, [pool, notesFor(rejected, kept)]])
  }

  isKept(pool: string, rejected: readonly RevisionRef[], kept: ReadonlySet<string>): boolean {
    const [notes, wanted] = [this.#of(pool), notesFor(rejected, kept)]
    return notes.size === wanted.size && [...wanted].every(([revision, fingerprint]) => notes.get(revision) === fingerprint)
  }

  /** The ConfigMap is deleted, and its notes with it. */
  forget(revision: string): void {
    this.all = new Map([...this.all].map(([pool, notes]) => [pool, new Map([...notes].filter(([each]) => each !== revision))]))
  }

  describe(): string {
    return JSON.stringify([...this.all].map(([pool, notes]) => [pool, ...notes.keys()]))
  }

  #of(pool: string): NotesOfPool {
    return this.all.get(pool) ?? NONE
  }
}

function notesFor(rejected: readonly RevisionRef[], kept: ReadonlySet<string>): NotesOfPool {
  return new Map(
    rejected.filter(({ revision }) => kept.has(revision)).map(({ revision, fingerprint }) => [revision, fingerprint]),
  )
}
