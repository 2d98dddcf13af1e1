import type { NodePoolView } from './cache/node-pool-view.ts'

/** Notices when somebody annotates a pool with a new `reconcile-at`: that person has just pushed, and does not want to wait for the poll. */
export class ReconcileRequests {
  #known: ReadonlySet<string>

  /** @param pools as they were found at the start: what is asked there was asked of a former process */
  constructor(pools: Iterable<NodePoolView>) {
    this.#known = requestsOf(pools)
  }

  isNew(pools: Iterable<NodePoolView>): boolean {
    const before = this.#known
    this.#known = requestsOf(pools)
    return [...this.#known].some((request) => !before.has(request))
  }
}

function requestsOf(pools: Iterable<NodePoolView>): ReadonlySet<string> {
  return new Set(
    [...pools].flatMap(({ name, controls: { reconcileAt } }) => (reconcileAt === undefined ? [] : [`${name} ${reconcileAt}`])),
  )
}
