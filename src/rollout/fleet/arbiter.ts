import { compareTexts } from '../../protocol/by-text.ts'
import type { Grant } from '../model/grant.ts'
import { type NodeRequest, type Places, type Price, type Proposal, WORK_KINDS, type WorkKind } from '../model/proposal.ts'

/** Of all pools. */
export interface SharedPlaces extends Places {
  /** Work, or an uncordon, brings nodes back that use them up. */
  readonly isGivenBack?: boolean
}

const ANY_NUMBER = Number.POSITIVE_INFINITY
const WITHOUT_LIMIT: Places = { places: ANY_NUMBER, servingPlaces: ANY_NUMBER, idlePlaces: ANY_NUMBER }

export const NOTHING_GRANTED: Grant = { nodes: new Set(), lacksFleetBudget: false }

const NONE: ReadonlyMap<string, Grant> = new Map()

/**
 * Grants the fleet's budget and the turn of the control plane: kind by kind, and within a kind one node to each pool in turn. The
 * pool that was served longest ago comes first, so that each is served within as many grants as there are pools.
 * @param budget what is left of the fleet's budget; absent: each pool's own alone counts
 * @returns by pool; of one that asks for nothing, nothing
 */
export function arbitrate(proposals: readonly Proposal[], budget: SharedPlaces = WITHOUT_LIMIT): ReadonlyMap<string, Grant> {
  const ledger = new Ledger(budget)
  const asking = proposals.filter(({ requests }) => requests.length > 0)
  if (asking.length === 0) return NONE
  const accounts = asking.sort(byTurn).map((proposal) => new Account(proposal, ledger))
  for (const kind of WORK_KINDS) shareOut(accounts.map((account) => account.queueOf(kind)))
  return new Map(accounts.map((account) => [account.pool, account.grant()]))
}

/** Serves one node after the other. @returns whether one was granted */
type Queue = () => boolean

function shareOut(queues: readonly Queue[]): void {
  for (let waiting = queues; waiting.length > 0; ) waiting = waiting.filter((serveNext) => serveNext())
}

function byTurn(a: Proposal, b: Proposal): number {
  return (a.servedAt ?? 0) - (b.servedAt ?? 0) || compareTexts(a.pool, b.pool)
}

const COSTS: Readonly<Record<Price, Places>> = {
  Nothing: { places: 0, servingPlaces: 0, idlePlaces: 0 },
  Idle: { places: 0, servingPlaces: 0, idlePlaces: 1 },
  Serving: { places: 0, servingPlaces: 1, idlePlaces: 1 },
  Available: { places: 1, servingPlaces: 1, idlePlaces: 1 },
}
const PLACES = ['places', 'servingPlaces', 'idlePlaces'] as const

/** A budget. It only shrinks, so a request that does not fit now will not fit later in the pass. */
class Purse {
  #left: Places

  constructor(left: Places) {
    this.#left = left
  }

  has(price: Price): boolean {
    const cost = COSTS[price]
    return PLACES.every((kind) => cost[kind] === 0 || cost[kind] <= this.#left[kind])
  }

  pay(price: Price): void {
    const [{ places, servingPlaces, idlePlaces }, cost] = [this.#left, COSTS[price]]
    this.#left = {
      places: places - cost.places,
      servingPlaces: servingPlaces - cost.servingPlaces,
      idlePlaces: idlePlaces - cost.idlePlaces,
    }
  }
}

/** What all pools draw on. */
class Ledger extends Purse {
  turnOf: string | undefined
  readonly isGivenBack: boolean

  constructor(left: SharedPlaces) {
    super(left)
    this.isGivenBack = left.isGivenBack === true
  }
}

class Account {
  readonly #proposal: Proposal
  readonly #ledger: Ledger
  readonly #nodes = new Set<string>()
  readonly #own: Purse
  #hasPaid = false
  #isRefused: boolean
  #lacksFleetBudget = false
  #turnOf: string | undefined

  constructor(proposal: Proposal, ledger: Ledger) {
    this.#proposal = proposal
    this.#ledger = ledger
    this.#own = new Purse(proposal)
    this.#isRefused = proposal.isKeptByZones === true
  }

  get pool(): string {
    return this.#proposal.pool
  }

  queueOf(kind: WorkKind): Queue {
    const requests = this.#proposal.requests.filter((request) => request.kind === kind)
    let next = 0
    return () => {
      if (!this.#mayBegin(kind)) return false
      for (let request = requests[next++]; request; request = requests[next++]) if (this.#take(request)) return true
      return false
    }
  }

  #mayBegin(kind: WorkKind): boolean {
    if (kind !== 'supersede' && kind !== 'lastResort') return true
    const isStarved = this.#isRefused && !this.#hasPaid
    const isForAMoment = kind === 'lastResort' && this.#lacksFleetBudget && this.#ledger.isGivenBack
    return isStarved && !isForAMoment
  }

  grant(): Grant {
    const turnOf = this.#turnOf
    return { nodes: this.#nodes, lacksFleetBudget: this.#lacksFleetBudget, ...(turnOf !== undefined && { turnOf }) }
  }

  #take(request: NodeRequest): boolean {
    const { name, price, isControlPlane } = request
    const { turnOf } = this.#ledger
    if (isControlPlane && turnOf !== undefined) {
      this.#turnOf = turnOf
      return false
    }
    if (price !== 'Nothing' && !this.#pay(price)) return false
    if (isControlPlane) this.#ledger.turnOf = name
    this.#nodes.add(name)
    return true
  }

  #pay(price: Price): boolean {
    const [canPay, canFleet] = [this.#own.has(price), this.#ledger.has(price)]
    this.#lacksFleetBudget ||= canPay && !canFleet
    if (!canPay || !canFleet) {
      this.#isRefused = true
      return false
    }
    this.#hasPaid = true
    this.#own.pay(price)
    this.#ledger.pay(price)
    return true
  }
}
