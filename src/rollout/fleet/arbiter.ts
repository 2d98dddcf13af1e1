import type { Grant } from '../model/grant.ts'
import type { Places } from '../model/proposal.ts'
import { type NodeRequest, type Proposal, WORK_KINDS, type WorkKind } from '../model/proposal.ts'

const WITHOUT_LIMIT: Places = { places: Number.POSITIVE_INFINITY, idlePlaces: Number.POSITIVE_INFINITY }

export const NOTHING_GRANTED: Grant = { nodes: new Set(), lacksFleetBudget: false }

/**
 * Grants the fleet's budget and the turn of the control plane: kind by kind, and within a kind one node to each pool in turn. The
 * pool that was served longest ago comes first, so that each is served within as many grants as there are pools.
 * @param budget what is left of the fleet's budget; absent: each pool's own alone counts
 */
export function arbitrate(proposals: readonly Proposal[], budget = WITHOUT_LIMIT): ReadonlyMap<string, Grant> {
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

/** A budget. It only shrinks, so a request that does not fit now will not fit later in the pass. */
class Purse {
  #places: number
  #idlePlaces: number

  constructor({ places, idlePlaces }: Places) {
    this.#places = Math.max(0, places)
    this.#idlePlaces = Math.max(0, idlePlaces)
  }

  has({ isIdle }: Pick<NodeRequest, 'isIdle'>): boolean {
    return this.#idlePlaces > 0 && (isIdle || this.#places > 0)
  }

  pay({ isIdle }: Pick<NodeRequest, 'isIdle'>): void {
    this.#idlePlaces -= 1
    if (!isIdle) this.#places -= 1
  }
}

/** What all pools draw on. */
class Ledger extends Purse {
  turnOf: string | undefined
}

class Account {
  readonly #proposal: Proposal
  readonly #ledger: Ledger
  readonly #nodes = new Set<string>()
  readonly #own: Purse
  #hasPaid = false
  #isRefused = false
  #lacksFleetBudget = false
  #turnOf: string | undefined

  constructor(proposal: Proposal, ledger: Ledger) {
    this.#proposal = proposal
    this.#ledger = ledger
    this.#own = new Purse(proposal)
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
    return this.#isRefused && !this.#hasPaid
  }

  grant(): Grant {
    if (this.#proposal.requests.length === 0) return NOTHING_GRANTED
    const turnOf = this.#turnOf
    return { nodes: this.#nodes, lacksFleetBudget: this.#lacksFleetBudget, ...(turnOf !== undefined && { turnOf }) }
  }

  #take(request: NodeRequest): boolean {
    const { name, spends, isIdle, isControlPlane } = request
    const { turnOf } = this.#ledger
    if (isControlPlane && turnOf !== undefined) {
      this.#turnOf = turnOf
      return false
    }
    if ((spends || isIdle) && !this.#pay(request)) return false
    if (isControlPlane) this.#ledger.turnOf = name
    this.#nodes.add(name)
    return true
  }

  #pay(request: NodeRequest): boolean {
    const [canPay, canFleet] = [this.#own.has(request), this.#ledger.has(request)]
    this.#lacksFleetBudget ||= canPay && !canFleet
    if (!canPay || !canFleet) {
      this.#isRefused = true
      return false
    }
    this.#hasPaid = true
    this.#own.pay(request)
    this.#ledger.pay(request)
    return true
  }
}
