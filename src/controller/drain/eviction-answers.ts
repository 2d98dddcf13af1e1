import type { Instant } from '../../rollout/model/instant.ts'
import type { PodBudget, PodView } from '../../rollout/model/node-view.ts'
import { type Following, followCollection } from '../cache/follow-collection.ts'
import { ObjectCache } from '../cache/object-cache.ts'
import { type BudgetFacts, covers, type PodFacts, projectBudget } from './pod-facts.ts'

export interface EvictionAnswersOptions extends Following {
  /** All that are looked at. */
  readonly pods: () => readonly PodFacts[]
}

export interface Refused {
  readonly message: string
  readonly until: Instant
}

/**
 * What the server answered to evictions, by UID of the pod; and, while it refuses one, the PodDisruptionBudgets, to say which of them
 * keeps it, and to ask again as soon as that changes. A new process knows none of this, and asks at once.
 */
export class EvictionAnswers {
  readonly #options: EvictionAnswersOptions
  readonly #refused = new Map<string, Refused>()
  /** Taken, though the watch may still show the pod as it was. */
  readonly #taken = new Set<string>()
  #budgets: { readonly cache: ObjectCache<BudgetFacts>; readonly stop: AbortController } | undefined

  constructor(options: EvictionAnswersOptions) {
    this.#options = options
  }

  /** The pod goes, or is gone: nobody has to ask again. */
  taken(uid: string): void {
    this.#taken.add(uid)
    this.#options.changed()
  }

  refused(uid: string, refused: Refused): void {
    this.#refused.set(uid, refused)
    this.#budgets ??= this.#followBudgets()
    this.#options.changed()
  }

  viewOf(pod: PodFacts): PodView {
    const { uid, terminating } = pod.view
    const refused = this.#refused.get(uid)
    return {
      ...pod.view,
      terminating: terminating || this.#taken.has(uid),
      ...(refused && { refusal: { ...refused, budgets: this.#keepersOf(pod) } }),
    }
  }

  /** Of pods that are looked at no more; and the budgets, when nothing is refused any more. */
  forgetGone(): void {
    const uids = new Set(this.#options.pods().map(({ view }) => view.uid))
    for (const uid of this.#taken) if (!uids.has(uid)) this.#taken.delete(uid)
    for (const uid of this.#refused.keys()) if (!uids.has(uid)) this.#refused.delete(uid)
    if (this.#refused.size > 0) return
    this.#budgets?.stop.abort()
    this.#budgets = undefined
  }

  #followBudgets(): { readonly cache: ObjectCache<BudgetFacts>; readonly stop: AbortController } {
    const stop = new AbortController()
    const cache = new ObjectCache<BudgetFacts>(() => this.#askAgain())
    const signal = AbortSignal.any([this.#options.signal, stop.signal])
    followCollection(
      { ...this.#options, signal },
      { path: '/apis/policy/v1/poddisruptionbudgets', cache, project: projectBudget, manyNamespaces: true },
    ).catch(() => undefined)
    return { cache, stop }
  }

  /** A budget changed: what it kept, and now lets go, need not wait any longer. */
  #askAgain(): void {
    for (const pod of this.#options.pods()) {
      const [budget, ...others] = this.#coverOf(pod)
      if (budget && others.length === 0 && budget.disruptionsAllowed > 0) this.#refused.delete(pod.view.uid)
    }
    this.#options.changed()
  }

  /** A single budget that has something left refused nothing: the server had another reason. */
  #keepersOf(pod: PodFacts): readonly PodBudget[] {
    const cover = this.#coverOf(pod)
    return cover.length === 1 && (cover[0]?.disruptionsAllowed ?? 0) > 0 ? [] : cover.map(({ view }) => view)
  }

  #coverOf(pod: PodFacts): BudgetFacts[] {
    return [...(this.#budgets?.cache.items.values() ?? [])].filter((budget) => covers(budget, pod))
  }
}
