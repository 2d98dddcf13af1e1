import type { PlanView } from '../../dashboard/plan-view.ts'

type Plan = Promise<PlanView | undefined>

interface Made {
  readonly about: string
  readonly plan: Plan
  /** Absent: it is being made. */
  until?: number
}

/** Milliseconds for which a plan is shown again, however many look. */
const FRESH = 5_000
/** How much longer than it took to make a plan it is shown: the controller has other work. */
const TIMES = 20

/** Plans of pools that were asked for lately, as they are shown: the contents that they were made of may be large. */
export class RecentPlans {
  readonly #elapsed: () => number
  readonly #plans = new Map<string, Made>()

  /** @param elapsed milliseconds of a monotonic clock */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed
  }

  /** @param about what it is a plan of: one of something else is not shown in its place */
  of(pool: string, about: string, make: () => Plan): Plan {
    const begun = this.#elapsed()
    for (const [name, { until = Number.POSITIVE_INFINITY }] of this.#plans) if (begun >= until) this.#plans.delete(name)
    const known = this.#plans.get(pool)
    if (known?.about === about) return known.plan
    const made: Made = { about, plan: make() }
    this.#plans.set(pool, made)
    const rest = () => {
      const now = this.#elapsed()
      made.until = now + Math.max(FRESH, TIMES * (now - begun))
    }
    made.plan.then(rest, rest)
    return made.plan
  }
}
