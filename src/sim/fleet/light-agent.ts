import type { annotationsOf } from '../../agent/loop/report.ts'
import type { Ending } from '../../agent/transaction/journal.ts'
import type { Names } from '../../protocol/names.ts'
import { type AgentMemory, ended, type LightAssignment, NOTHING, proved, reportOf, taken } from './agent-memory.ts'

/**
 * What one agent remembers and reports. It has no host: the caller says what becomes of each assignment there. What follows from that for its
 * memory and its status, the functions of the real agent decide. Times are RFC 3339.
 *
 * Never changed: agents that remember the same share one, and what becomes of them all is found out once.
 */
export class LightAgent {
  readonly #names: Names
  readonly #memory: AgentMemory
  /** What it became last, and by what. */
  #next: { readonly by: readonly unknown[]; readonly agent: LightAgent } | undefined
  #reported: { readonly of: readonly unknown[]; readonly annotations: ReturnType<typeof annotationsOf> } | undefined

  constructor(names: Names, memory = NOTHING) {
    this.#names = names
    this.#memory = memory
  }

  /** Its host is as the last assignment wants it, without a change. */
  get isThere(): boolean {
    const { goal, pointers, isUnclean } = this.#memory
    return goal?.digest === pointers.active && !isUnclean
  }

  /** Begins to work. @param assignment undefined: it was removed, and the local configuration is wanted */
  take(assignment: LightAssignment | undefined, now: string): LightAgent {
    return this.#after([assignment?.text, now], (memory) => taken(memory, assignment, now))
  }

  /** @param ending with `startedAt` when the kubelet was restarted */
  end(ending: Ending, now: string): LightAgent {
    return this.#after([ending, now], (memory) => ended(memory, ending, now))
  }

  /** All of it at once: an assignment of before, which has held its trial. */
  settle(assignment: LightAssignment, now: string): LightAgent {
    return this.take(assignment, now).end({ kind: 'kept' }, now).holdTrial(now)
  }

  /** The active configuration has held its trial. */
  holdTrial(now: string): LightAgent {
    return this.#after([now], (memory) => proved(memory, now))
  }

  /**
   * What its Node should show; nothing before it was assigned anything.
   * @param kubelet version that the Node shows
   * @param node its uid; absent: it does not say it, so that Nodes which are alike bear the same text
   */
  report(kubelet: string | undefined, node?: string): ReturnType<typeof annotationsOf> {
    if (!this.#reported || !isSameList(this.#reported.of, [kubelet, node]))
      this.#reported = { of: [kubelet, node], annotations: reportOf(this.#memory, { names: this.#names, kubelet, node }) }
    return this.#reported.annotations
  }

  #after(by: readonly unknown[], change: (memory: AgentMemory) => AgentMemory): LightAgent {
    if (!this.#next || !isSameList(this.#next.by, by))
      this.#next = { by, agent: new LightAgent(this.#names, change(this.#memory)) }
    return this.#next.agent
  }
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index])
}
