import type { Instant } from '../../rollout/model/instant.ts'
import type { PodBudget, PodView } from '../../rollout/model/node-view.ts'
import { type Following, followCollection } from '../cache/follow-collection.ts'
import { ObjectCache } from '../cache/object-cache.ts'
import { BudgetIndex } from './budget-index.ts'
import { type BudgetFacts, type PodFacts, projectBudget } from './pod-facts.ts'

export interface EvictionAnswersOptions extends Omit<Following, 'changed'> {
  /** All that are looked at. */
  readonly pods: () => readonly PodFacts[]
  /** Called with the UIDs of pods that have a new answer. */
  readonly changed: (uids: ReadonlySet<string>) => void
  /** The same for new answers that the pass under way knows already. */
  readonly noted: (uids: ReadonlySet<string>) => void
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
  readonly #asked = new Set<string>()
  readonly #refused = new Map<string, Refused>()
  /** Taken, though the watch may still show the pod as it was. */
  readonly #taken = new Set<string>()
  #budgets: AbortController | undefined
  readonly #index = new BudgetIndex()
  /** Namespaces of which a budget changed: many events of one moment are one change. */
  #news: Set<string> | undefined

  constructor(options: EvictionAnswersOptions) {
    this.#options = options
  }

  /** The request is under way: until it is answered, nobody asks again. */
  asked(uid: string): void {
    this.#asked.add(uid)
    this.#options.noted(new Set([uid]))
  }

  /** It was not sent, or it is not known what became of it. */
  unanswered(uid: string): void {
    if (this.#asked.delete(uid)) this.#options.noted(new Set([uid]))
  }

  /** The pod goes, or is gone: nobody has to ask again. */
  taken(uid: string): void {
    this.#asked.delete(uid)
    this.#taken.add(uid)
    this.#options.changed(new Set([uid]))
  }

  refused(uid: string, refused: Refused): void {
    this.#asked.delete(uid)
    this.#refused.set(uid, refused)
    this.#budgets ??= this.#followBudgets()
    this.#options.changed(new Set([uid]))
  }

  viewOf(pod: PodFacts): PodView {
    const { uid, terminating } = pod.view
    const refused = this.#refused.get(uid)
    return {
      ...pod.view,
      terminating: terminating || this.#taken.has(uid),
      ...(this.#asked.has(uid) && { asked: true }),
      ...(refused && { refusal: { ...refused, budgets: this.#keepersOf(pod) } }),
    }
  }

  /** Of pods that are looked at no more; and the budgets, when nothing is refused any more. */
  forgetGone(): void {
    const uids = new Set(this.#options.pods().map(({ view }) => view.uid))
    for (const uid of this.#taken) if (!uids.has(uid)) this.#taken.delete(uid)
    for (const uid of this.#asked) if (!uids.has(uid)) this.#asked.delete(uid)
    for (const uid of this.#refused.keys()) if (!uids.has(uid)) this.#refused.delete(uid)
    if (this.#refused.size > 0) return
    this.#budgets?.abort()
    this.#budgets = undefined
  }

  #followBudgets(): AbortController {
    const stop = new AbortController()
    const cache = new ObjectCache<BudgetFacts>((budget) => this.#noteChange(this.#index.update(cache, budget)))
    const signal = AbortSignal.any([this.#options.signal, stop.signal])
    followCollection(
      { ...this.#options, signal, changed: () => undefined },
      { path: '/apis/policy/v1/poddisruptionbudgets', cache, project: projectBudget, manyNamespaces: true },
    ).catch(() => undefined)
    return stop
  }

  #noteChange(namespaces: readonly string[]): void {
    if (this.#news === undefined) setImmediate(() => this.#askAgain())
    this.#news ??= new Set()
    for (const namespace of namespaces) this.#news.add(namespace)
  }

  /** A budget changed: what it kept, and now lets go, need not wait any longer. */
  #askAgain(): void {
    const namespaces = this.#news ?? new Set()
    this.#news = undefined
    const concerned = this.#options
      .pods()
      .filter(({ namespace, view }) => namespaces.has(namespace) && this.#refused.has(view.uid))
    for (const pod of concerned) {
      const [budget, ...others] = this.#index.coverOf(pod)
      if (budget && others.length === 0 && budget.disruptionsAllowed > 0) this.#refused.delete(pod.view.uid)
    }
    if (concerned.length > 0) this.#options.changed(new Set(concerned.map(({ view }) => view.uid)))
  }

  /** A single budget that has something left refused nothing: the server had another reason. */
  #keepersOf(pod: PodFacts): readonly PodBudget[] {
    const cover = this.#index.coverOf(pod)
    return cover.length === 1 && (cover[0]?.disruptionsAllowed ?? 0) > 0 ? [] : cover.map(({ view }) => view)
  }
}
