import type { ObjectCache } from '../cache/object-cache.ts'
import { type BudgetFacts, covers, type PodFacts } from './pod-facts.ts'

/** PodDisruptionBudgets by namespace: a pod is compared with those of its own, of thousands in the cluster. */
export class BudgetIndex {
  readonly #byNamespace = new Map<string, Map<string, BudgetFacts>>()

  /** @param budget as it is or was; absent: any of them changed. @returns the namespaces concerned */
  update(cache: Pick<ObjectCache<BudgetFacts>, 'items' | 'get'>, budget?: BudgetFacts): readonly string[] {
    if (budget === undefined) return this.#rebuild(cache.items.values())
    const { name, namespace } = budget
    const now = cache.get(name)
    if (now) this.#of(namespace).set(name, now)
    else this.#byNamespace.get(namespace)?.delete(name)
    return [namespace]
  }

  coverOf(pod: PodFacts): readonly BudgetFacts[] {
    return [...(this.#byNamespace.get(pod.namespace)?.values() ?? [])].filter((budget) => covers(budget, pod))
  }

  #rebuild(budgets: Iterable<BudgetFacts>): readonly string[] {
    const before = [...this.#byNamespace.keys()]
    this.#byNamespace.clear()
    for (const budget of budgets) this.#of(budget.namespace).set(budget.name, budget)
    return [...new Set([...before, ...this.#byNamespace.keys()])]
  }

  #of(namespace: string): Map<string, BudgetFacts> {
    const budgets = this.#byNamespace.get(namespace) ?? new Map<string, BudgetFacts>()
    this.#byNamespace.set(namespace, budgets)
    return budgets
  }
}
