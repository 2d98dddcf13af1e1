import { beginning } from '../../agent/loop/beginning.ts'
import { conclude } from '../../agent/loop/conclude.ts'
import { annotationsOf } from '../../agent/loop/report.ts'
import { statusOf } from '../../agent/loop/status-of.ts'
import { recovered } from '../../agent/loop/went-bad.ts'
import { KUBELET_UNIT } from '../../agent/paths.ts'
import { afterTrial, changeBy, type Pointers } from '../../agent/state/pointers.ts'
import type { Outcome } from '../../agent/state/state.ts'
import type { Ending } from '../../agent/transaction/journal.ts'
import { counterOf } from '../../protocol/assignment-signature.ts'
import type { DesiredConfig } from '../../protocol/desired-config.ts'
import type { Names } from '../../protocol/names.ts'
import { VERSION } from '../../protocol/version.ts'

export interface LightAssignment {
  /** The annotation. */
  readonly text: string
  readonly desired: DesiredConfig
}

const NO_HOST = {
  isUnheard: false,
  trouble: undefined,
  drift: { left: [], contested: [] },
  boot: undefined,
  rebootNeed: undefined,
  cgroup: undefined,
}

/**
 * What one agent remembers and reports. It has no host: the caller says what becomes of each assignment there. What follows from that for its
 * memory and its status, the functions of the real agent decide. Times are RFC 3339.
 */
export class LightAgent {
  readonly #names: Names
  #goal: { readonly text: string; readonly digest: string; readonly desired: DesiredConfig } | undefined
  #outcome: Outcome | undefined
  #pointers: Pointers = {}
  #isUnclean = false
  /** Accepted last. */
  #counter: number | undefined
  /** Annotations by digest. */
  readonly #checkpoints = new Map<string, string>()

  constructor(names: Names) {
    this.#names = names
  }

  /** Its host is as the last assignment wants it, without a change. */
  get isThere(): boolean {
    return this.#goal?.digest === this.#pointers.active && !this.#isUnclean
  }

  /** Begins to work. @param assignment undefined: it was removed, and the local configuration is wanted */
  take(assignment: LightAssignment | undefined, now: string): void {
    this.#goal = assignment && { ...assignment, digest: assignment.desired.DIGEST ?? '' }
    if (this.#goal !== undefined) {
      this.#counter = counterOf(this.#goal.desired) ?? this.#counter
      this.#checkpoints.set(this.#goal.digest, this.#goal.text)
      this.#pointers = { ...this.#pointers, assigned: this.#goal.digest }
    }
    this.#outcome = beginning({ goal: this.#goal, node: undefined, last: this.#outcome, now })
  }

  /** @param ending with `startedAt` when the kubelet was restarted */
  end(ending: Ending, now: string): void {
    const restarts = 'startedAt' in ending ? [KUBELET_UNIT] : []
    const head = { purpose: 'apply', digest: this.#goal?.digest, activation: { restarts }, before: {} } as const
    const { pointers, isUnclean = this.#isUnclean } = changeBy(head, ending)
    this.#pointers = { ...this.#pointers, ...pointers }
    this.#isUnclean = isUnclean
    this.#outcome = conclude(head, ending, { last: this.#outcome, now })
  }

  /** All of it at once: an assignment of before, which has held its trial. */
  settle(assignment: LightAssignment, now: string): void {
    this.take(assignment, now)
    this.end({ kind: 'kept' }, now)
    this.holdTrial(now)
  }

  /** The active configuration has held its trial. */
  holdTrial(now: string): void {
    const { active } = this.#pointers
    if (active === undefined || this.#outcome === undefined) return
    this.#pointers = { ...this.#pointers, ...afterTrial(active) }
    this.#outcome = recovered({ last: this.#outcome, now }, active)
  }

  /**
   * What its Node should show; nothing before it was assigned anything.
   * @param kubelet version that the Node shows
   * @param node its uid; absent: it does not say it, so that Nodes which are alike bear the same text
   */
  report(kubelet: string | undefined, node?: string): ReturnType<typeof annotationsOf> {
    if (this.#outcome === undefined) return {}
    const { active } = this.#pointers
    const assignedAt = this.#goal?.desired.ASSIGNED
    const memory = { pointers: this.#pointers, isUnclean: this.#isUnclean, assignedAt, counter: this.#counter }
    const status = statusOf(this.#outcome, { ...NO_HOST, ...memory, agent: VERSION, kubelet })
    return annotationsOf(
      { status, currentConfig: active === undefined ? undefined : this.#checkpoints.get(active) },
      this.#names,
      node,
    )
  }
}
