import type { Instant } from '../model/instant.ts'

/**
 * What work is for. Over all pools, an earlier kind is served before a later one; the last is granted only to a pool that asked
 * for places in a budget, and got none.
 */
export const WORK_KINDS = ['finish', 'repair', 'rollback', 'forward', 'lastResort'] as const
export type WorkKind = (typeof WORK_KINDS)[number]

/** One node that a pool asks to change now. */
export interface NodeRequest {
  readonly name: string
  readonly kind: WorkKind
  /** The change makes a node unavailable that is available now. */
  readonly spends: boolean
  /** A part of the control plane runs on it. */
  readonly isControlPlane: boolean
}

/** All that a pool asks for, the most urgent first. */
export interface Proposal<Request extends NodeRequest = NodeRequest> {
  readonly pool: string
  readonly requests: readonly Request[]
  /** How many more nodes the pool's own budget lets it make unavailable. */
  readonly places: number
  /** When the pool was last granted something; absent: not in this rollout. */
  readonly servedAt?: Instant
}

/** What a pool may do of what it asked for. */
export interface Grant {
  readonly nodes: ReadonlySet<string>
  /** The fleet's budget was spent before all requests that the pool itself could pay for were granted. */
  readonly lacksFleetBudget: boolean
  /** The node that has the turn of the control plane, when another one was refused for it. */
  readonly turnOf?: string
}

export const NOTHING_GRANTED: Grant = { nodes: new Set(), lacksFleetBudget: false }

/**
 * Grants the fleet's budget and the turn of the control plane: kind by kind, and within a kind one node to each pool in turn. The
 * pool that was served longest ago comes first, so that each is served within as many grants as there are pools.
 * @param budget how many more nodes of the fleet may become unavailable; absent: each pool's own budget alone counts
 */
export function arbitrate(proposals: readonly Proposal[], budget = Number.POSITIVE_INFINITY): ReadonlyMap<string, Grant> {
  const ledger = new Ledger(budget)
  const accounts = proposals.toSorted(byTurn).map((proposal) => new Account(proposal, ledger))
  for (const kind of WORK_KINDS) shareOut(accounts.map((account) => account.queueOf(kind)))
  return new Map(accounts.map((account) => [account.pool, account.grant()]))
}

/** Serves one node after the other. @returns whether one was granted */
type Queue = () => boolean

function shareOut(queues: readonly Queue[]): void {
  for (let waiting = queues; waiting.length > 0; ) waiting = waiting.filter((serveNext) => serveNext())
}

function byTurn(a: Proposal, b: Proposal): number {
  const [served, other] = [a.servedAt ?? Number.NEGATIVE_INFINITY, b.servedAt ?? Number.NEGATIVE_INFINITY]
  return served === other ? (a.pool < b.pool ? -1 : 1) : served < other ? -1 : 1
}

/** What all pools draw on. It only shrinks, so a request that does not fit now will not fit later in the pass. */
class Ledger {
  left: number
  turnOf: string | undefined

  constructor(budget: number) {
    this.left = Math.max(0, budget)
  }
}

class Account {
  readonly #proposal: Proposal
  readonly #ledger: Ledger
  readonly #nodes = new Set<string>()
  readonly #places: number
  #paid = 0
  #isRefused = false
  #lacksFleetBudget = false
  #turnOf: string | undefined

  constructor(proposal: Proposal, ledger: Ledger) {
    this.#proposal = proposal
    this.#ledger = ledger
    this.#places = Math.max(0, proposal.places)
  }

  get pool(): string {
    return this.#proposal.pool
  }

  queueOf(kind: WorkKind): Queue {
    const requests = this.#proposal.requests.filter((request) => request.kind === kind)
    let next = 0
    return () => {
      if (kind === 'lastResort' && !this.#isStarved) return false
      for (let request = requests[next++]; request; request = requests[next++]) if (this.#take(request)) return true
      return false
    }
  }

  get #isStarved(): boolean {
    return this.#isRefused && this.#paid === 0
  }

  grant(): Grant {
    if (this.#proposal.requests.length === 0) return NOTHING_GRANTED
    const turnOf = this.#turnOf
    return { nodes: this.#nodes, lacksFleetBudget: this.#lacksFleetBudget, ...(turnOf !== undefined && { turnOf }) }
  }

  #take({ name, spends, isControlPlane }: NodeRequest): boolean {
    const { turnOf } = this.#ledger
    if (isControlPlane && turnOf !== undefined) {
      this.#turnOf = turnOf
      return false
    }
    if (spends && !this.#pay()) return false
    if (isControlPlane) this.#ledger.turnOf = name
    this.#nodes.add(name)
    return true
  }

  #pay(): boolean {
    const canPay = this.#places > this.#paid
    this.#lacksFleetBudget ||= canPay && this.#ledger.left === 0
    if (!canPay || this.#ledger.left === 0) {
      this.#isRefused = true
      return false
    }
    this.#paid += 1
    this.#ledger.left -= 1
    return true
  }
}
