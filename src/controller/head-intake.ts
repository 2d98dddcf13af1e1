import { KubeError } from '../kube/kube-api.ts'
import type { Compile, CompiledFleet, HeadEvent, Log } from './ports.ts'
import { RevisionError } from './revision-error.ts'
import type { RevisionLibrary } from './revision-library.ts'
import type { RevisionStore } from './revision-store.ts'

export interface HeadState {
  /** The newest accepted commit. */
  readonly fleet?: CompiledFleet
  /** The newest commit of the branch, accepted or not. */
  readonly observed?: string
  /** Why the newest commit is not taken. */
  readonly problem?: string
  /** Why the repository cannot be read; roll-outs go on with what was accepted. */
  readonly trouble?: string
}

export interface HeadIntakeOptions {
  readonly compile: Compile
  readonly store: RevisionStore
  readonly library: RevisionLibrary
  readonly log: Log
}

/** How many problems of an invalid commit a condition shows; `nodewave validate` shows all. */
const SHOWN_PROBLEMS = 3
/** Characters of each. */
const MAX_PROBLEM = 1000

/** Takes what the repository tells, one pass at a time: a commit is accepted when it is valid and kept in the cluster, not before. */
export class HeadIntake {
  readonly #options: HeadIntakeOptions
  #pending: readonly HeadEvent[] = []
  #state: HeadState = {}
  #restored = false

  constructor(options: HeadIntakeOptions) {
    this.#options = options
  }

  get state(): HeadState {
    return this.#state
  }

  /** Only the last of several heads is of interest. */
  offer(event: HeadEvent): void {
    const kept = event.kind === 'head' ? this.#pending.filter((other) => other.kind !== 'head') : this.#pending
    this.#pending = [...kept, event]
  }

  /**
   * @returns what keeps a valid commit from being accepted; the next call tries again
   * @throws {KubeError} when the server is away
   */
  async absorb(): Promise<readonly unknown[]> {
    if (!this.#restored) await this.#restore()
    this.#restored = true
    for (let event = this.#pending[0]; event !== undefined; event = this.#pending[0]) {
      try {
        this.#state = await this.#after(event)
      } catch (error) {
        if (!isRefusal(error) || event.kind !== 'head') throw error
        const { commit } = event.snapshot
        this.#state = { ...this.#state, observed: commit, problem: `commit "${commit}" cannot be kept: ${error.message}` }
        return [error]
      }
      this.#pending = this.#pending.filter((other) => other !== event)
    }
    return []
  }

  /** Begins with what was last accepted, so that a repository out of reach stops nothing. */
  async #restore(): Promise<void> {
    const last = this.#options.store.list()[0]
    const fleet = last && (await this.#options.library.get(last.commit))
    if (fleet) this.#state = { fleet, observed: fleet.commit }
  }

  async #after(event: HeadEvent): Promise<HeadState> {
    const { trouble, ...state } = this.#state
    if (event.kind === 'trouble') return { ...state, trouble: event.message }
    if (event.kind === 'mended') return state
    if (event.kind === 'refused') return { ...state, observed: event.commit, problem: event.message }
    return this.#accept(event)
  }

  async #accept({ snapshot }: Extract<HeadEvent, { kind: 'head' }>): Promise<HeadState> {
    const { compile, store, library, log } = this.#options
    const known = this.#state.fleet?.commit === snapshot.commit ? this.#state.fleet : undefined
    const fleet = known ?? compile(snapshot)
    const { problem, trouble, ...state } = this.#state
    if (fleet.problems.length > 0) {
      log('error', problemText(fleet))
      return { ...state, observed: snapshot.commit, problem: problemText(fleet) }
    }
    await store.put(snapshot)
    library.add(fleet)
    log('info', `accepted commit "${snapshot.commit}"`)
    return { fleet, observed: snapshot.commit }
  }
}

/** Of a request that will fare no better by itself; roll-outs go on with what was accepted. */
function isRefusal(error: unknown): error is Error {
  return error instanceof RevisionError || (error instanceof KubeError && error.reaction === 'refuse')
}

function problemText({ commit, problems }: CompiledFleet): string {
  const shown = problems
    .slice(0, SHOWN_PROBLEMS)
    .map((problem) => problem.slice(0, MAX_PROBLEM))
    .join('\n')
  const more = problems.length > SHOWN_PROBLEMS ? `\nand ${problems.length - SHOWN_PROBLEMS} more` : ''
  // A table of events shows the first line only.
  const gap = problems.length === 1 ? ' ' : '\n'
  return `commit "${commit.slice(0, 12)}" is not valid and not taken:${gap}${shown}${more}`
}
