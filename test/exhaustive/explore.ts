import { decideFleet } from '../../src/rollout/decide-fleet.ts'
import { HISTORY_KEPT } from '../../src/rollout/target/history.ts'
import { sameAgain } from '../scenarios/fast/invariants/same-again.ts'
import { INVARIANTS } from '../scenarios/fast/invariants.ts'
import { brokenClaim, withPromotions } from './claims.ts'
import { type Event, type Moment, nextByItself, ordinaryEvents, promoted } from './events.ts'
import { faultEvents } from './faults.ts'
import { Graph } from './graph.ts'
import { keyOf } from './key.ts'
import { type Decide, decideIn, writesOf } from './pass.ts'
import { settles, unnamedWait } from './rest.ts'
import type { Scope } from './scope.ts'
import { initialState, type State } from './state.ts'
import { Twins } from './twins.ts'

/** What was visited, and what was found wrong first, with the events that lead there. */
export interface Explored {
  readonly states: number
  readonly events: number
  readonly atRest: number
  /** States found again of which it was seen that the same follows. */
  readonly twins: number
  /** All reachable states were visited. */
  readonly complete: boolean
  readonly wrong?: { readonly claim: string; readonly story: readonly string[] }
}

/** Those of the stories, but for the one that decides again: each state is decided here anyway. */
const OF_DECISIONS = INVARIANTS.filter((each) => each.ofDecision && each !== sameAgain)

const DAY = 24 * 3_600_000

interface Found {
  readonly state: State
  readonly number: number
}

/** A state in which something does not hold. */
class Wrong extends Error {
  readonly number: number
  readonly last: string | undefined

  constructor(claim: string, { number, last }: { readonly number: number; readonly last?: string }) {
    super(claim)
    this.number = number
    this.last = last
  }
}

export interface ExploreOptions {
  /** Default: all. */
  readonly mostStates?: number
  /** Default: the real one. */
  readonly decide?: Decide
  /** Told now and then, for a long way. */
  readonly onProgress?: (progress: Progress) => void
  /** Of so many states that are found again, one is looked at: what follows must be the same. Default: none of them */
  readonly twins?: number
  /** Default: the real one. */
  readonly keyOf?: typeof keyOf
}

/** How far an exploration has come: what is known, and what of it was visited. It ends when both are equal in the last layer. */
export interface Progress {
  readonly faults: number
  readonly known: number
  readonly visited: number
}

/** States between two tellings. */
const TELL_EVERY = 20_000

/** Visits the states that a fleet can reach: with no fault, then with one, and so on, the nearest first. */
export function explore(scope: Scope, options: ExploreOptions = {}): Explored {
  const exploration = new Exploration(scope, options)
  try {
    exploration.run()
    return exploration.result()
  } catch (error) {
    if (!(error instanceof Wrong)) throw error
    return { ...exploration.result(), wrong: exploration.describe(error) }
  }
}

class Exploration {
  readonly #scope: Scope
  readonly #mostStates: number
  readonly #decide: Decide
  readonly #onProgress: (progress: Progress) => void
  readonly #twins: Twins | undefined
  readonly #keyOf: (state: State) => string
  #visited = 0
  readonly #graph = new Graph()
  readonly #settled = new Set<string>()
  #events = 0
  #atRest = 0
  #complete = true

  constructor(scope: Scope, options: ExploreOptions) {
    const { mostStates = Number.POSITIVE_INFINITY, decide = decideFleet, onProgress = () => {}, twins } = options
    this.#twins = twins === undefined ? undefined : new Twins(twins)
    this.#keyOf = (state) => (options.keyOf ?? keyOf)(state, scope)
    this.#onProgress = onProgress
    this.#scope = scope
    this.#mostStates = mostStates
    this.#decide = decide
  }

  run(): void {
    const state = this.#established()
    let layer: readonly Found[] = [{ state, number: this.#graph.add(this.#keyOf(state), { from: 0, label: '' }) }]
    for (let faults = 0; faults <= this.#scope.mostFaults; faults++) layer = this.#visit(layer, faults)
    const endless = this.#complete ? this.#graph.endless() : undefined
    if (endless !== undefined) throw new Wrong('the fleet never comes to rest', { number: endless })
    if (this.#complete) this.#compareTwins()
  }

  /** A key that left out what is read would make one state of two, and one of them would never be visited. */
  #compareTwins(): void {
    for (const twin of this.#twins?.chosen ?? []) {
      const { from, label, state } = twin
      const moment = this.#momentOf(state)
      this.#check(moment, { number: from, last: label })
      const followersOf = (mayFail: boolean): readonly (number | undefined)[] =>
        [...ordinaryEvents(moment), ...(mayFail ? faultEvents(moment) : [])].map((event) => this.#known(event, state))
      if (this.#twins?.isSame(twin, followersOf) === false) {
        const other = this.#graph.story(twin.number).join('; ')
        throw new Wrong(`of states that have the same key the same follows; the other story: ${other}`, {
          number: from,
          last: label,
        })
      }
    }
  }

  #known({ state }: Event, from: State): number | undefined {
    return this.#graph.find(this.#keyOf(withPromotions(from, state, this.#scope)))
  }

  result(): Omit<Explored, 'wrong'> {
    const twins = this.#twins?.chosen.length ?? 0
    return { states: this.#graph.size, events: this.#events, atRest: this.#atRest, twins, complete: this.#complete }
  }

  describe({ message, number, last }: Wrong): NonNullable<Explored['wrong']> {
    return { claim: message, story: [...this.#graph.story(number), ...(last === undefined ? [] : [last])] }
  }

  /** The first commit has completed everywhere; operators have promoted it. */
  #established(): State {
    const initial = initialState(this.#scope)
    let moment = this.#momentOf(initial.pools.reduce((state, { name }) => promoted(state, name, this.#scope), initial))
    for (let next = nextByItself(moment); next; next = nextByItself(moment)) moment = this.#momentOf(next.state)
    return moment.state
  }

  /** Those at the same distance together, so that no longer than needed is held what was visited. @returns the states that one more fault leads to */
  #visit(first: readonly Found[], faults: number): readonly Found[] {
    const failed: Found[] | undefined = faults < this.#scope.mostFaults ? [] : undefined
    let nearest = first
    while (nearest.length > 0) {
      const next: Found[] = []
      for (const found of nearest) {
        this.#visited += 1
        if (this.#visited % TELL_EVERY === 0) this.#onProgress({ faults, known: this.#graph.size, visited: this.#visited })
        this.#visitOne(found, { next, failed })
      }
      nearest = next
    }
    return failed ?? []
  }

  #visitOne(found: Found, { next, failed }: { readonly next: Found[]; readonly failed: Found[] | undefined }): void {
    const moment = this.#momentOf(found.state)
    this.#check(moment, found)
    const byItself = nextByItself(moment)
    this.#graph.follows(found.number, byItself ? this.#numberOf(byItself, found, next) : -2)
    if (!byItself) this.#checkRest(moment, found)
    const numbers = ordinaryEvents(moment).map((event) => this.#numberOf(event, found, next))
    if (failed) numbers.push(...faultEvents(moment).map((event) => this.#numberOf(event, found, failed)))
    this.#twins?.visited(found.number, { numbers, mayFail: failed !== undefined })
  }

  #numberOf({ state, label }: Event, from: Found, queue: Found[]): number {
    this.#events += 1
    const next = withPromotions(from.state, state, this.#scope)
    const claim = brokenClaim(from.state, next, this.#scope)
    if (claim !== undefined) throw new Wrong(claim, { number: from.number, last: label })
    const key = this.#keyOf(next)
    const known = this.#graph.find(key)
    if (known !== undefined) {
      this.#twins?.meet({ state: next, number: known, from: from.number, label })
      return known
    }
    if (this.#graph.size >= this.#mostStates) {
      this.#complete = false
      return -1
    }
    const number = this.#graph.add(key, { from: from.number, label })
    queue.push({ state: next, number })
    return number
  }

  #check(moment: Moment, at: { readonly number: number; readonly last?: string }): void {
    const { state, observed, writes } = moment
    // The key leaves out how long a history is: what is forgotten then would make two states of one key differ.
    if (state.pools.some(({ memory }) => memory.history.length >= HISTORY_KEPT))
      throw new Wrong('no history is so long that its oldest entry is forgotten', at)
    for (const { claim, ofDecision } of OF_DECISIONS) if (!ofDecision?.(observed)) throw new Wrong(claim, at)
    if (writes.length === 0 && this.#writesJustBeforeWake(moment).length > 0)
      throw new Wrong('what waits for time has asked to be decided again by then', at)
  }

  #checkRest(moment: Moment, { number }: Found): void {
    this.#atRest += 1
    const unnamed = unnamedWait(moment)
    if (unnamed !== undefined) throw new Wrong(unnamed, { number })
    const claim = settles(moment, { known: this.#settled, momentOf: (state) => this.#momentOf(state) })
    if (claim !== undefined) throw new Wrong(claim, { number })
  }

  /** Nothing else calls the controller: all that a decision may come to by itself, it comes to at its own time. */
  #writesJustBeforeWake({ state, observed }: Moment): Moment['writes'] {
    const wakes = [...observed.decisions.values()].flatMap(({ wakeAt }) => wakeAt ?? [])
    return this.#momentOf({ ...state, now: wakes.length > 0 ? Math.min(...wakes) - 1 : state.now + DAY }).writes
  }

  #momentOf(state: State): Moment {
    const observed = decideIn(state, { scope: this.#scope, decide: this.#decide })
    return { state, scope: this.#scope, observed, writes: writesOf(observed, state) }
  }
}
