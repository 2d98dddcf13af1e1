import type { AskGate } from '../../rollout/model/decision.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { GateAnswer } from '../../rollout/model/snapshot.ts'
import type { Clock } from '../clock/clock.ts'
import type { GateChecks, GateResult } from './gate-check.ts'

/** A question that takes longer, in milliseconds, has no answer. */
const ASK_TIMEOUT = 30_000
const MAX_MESSAGE = 500

export interface GateRunnerOptions {
  readonly gateChecks: GateChecks
  readonly clock: Clock
  /** Called with each answer. */
  readonly changed: () => void
  /** Ends every question. */
  readonly signal: AbortSignal
}

/**
 * Asks gates, one question at a time for each, and keeps what they said until the run or the wave is another one. Nothing is lost with
 * it: what counts goes into the NodePool's status, and what did not get there is asked again.
 */
export class GateRunner {
  readonly #options: GateRunnerOptions
  readonly #answers = new Map<string, readonly GateAnswer[]>()
  readonly #underWay = new Set<string>()

  constructor(options: GateRunnerOptions) {
    this.#options = options
  }

  answersFor(pool: string): readonly GateAnswer[] {
    return this.#answers.get(pool) ?? NONE
  }

  ask(pool: string, asked: AskGate): void {
    const key = [pool, asked.revision, asked.rollout, asked.wave, asked.gate.name, asked.check, asked.question].join('\0')
    if (this.#underWay.has(key)) return
    this.#underWay.add(key)
    // Not when the answer comes: that may be half a minute later, when the wave is no longer, or not yet again, as it was.
    const at = this.#options.clock.now()
    void this.#find(pool, asked)
      .then((finding) => this.#keep(pool, asked, { ...finding, at }))
      .finally(() => this.#underWay.delete(key))
      .then(this.#options.changed)
  }

  async #find(pool: string, asked: AskGate): Promise<GateResult> {
    const { gateChecks, signal } = this.#options
    const timeout = AbortSignal.timeout(ASK_TIMEOUT)
    const ending = AbortSignal.any([signal, timeout])
    try {
      const ended = Promise.withResolvers<never>()
      ending.addEventListener('abort', () => ended.reject(ending.reason))
      return await Promise.race([checkFor(gateChecks, asked)(pool, ending), ended.promise])
    } catch (error) {
      const message = timeout.aborted ? `no answer within ${ASK_TIMEOUT / 1000} s` : (error as Error).message
      return { verdict: 'Unanswered', message }
    }
  }

  #keep(
    pool: string,
    { gate, wave, revision, rollout, check, question }: AskGate,
    { verdict, value, message, unavailable, at }: GateResult & { readonly at: Instant },
  ): void {
    const answer = {
      gate: gate.name,
      wave,
      revision,
      rollout,
      check,
      question,
      at,
      verdict,
      value,
      message: message.slice(0, MAX_MESSAGE),
      unavailable,
    }
    const others = this.answersFor(pool).filter(
      (other) => other.revision === revision && other.rollout === rollout && other.wave === wave && other.gate !== gate.name,
    )
    this.#answers.set(pool, [...others, answer])
  }
}

const NONE: readonly GateAnswer[] = []

/** The kinds apart, so that each is asked what it understands. */
function checkFor(gateChecks: GateChecks, asked: AskGate): (pool: string, signal: AbortSignal) => Promise<GateResult> {
  const { check } = asked.gate
  if (check.kind === 'prometheus') return (pool, signal) => gateChecks.prometheus(check, { ...asked, pool }, signal)
  if (check.kind === 'job') return (pool, signal) => gateChecks.job(check, { ...asked, pool }, signal)
  if (check.kind === 'workloads') return (pool, signal) => gateChecks.workloads(check, { ...asked, pool }, signal)
  return (pool, signal) => gateChecks.nodeConditions(check, { ...asked, pool }, signal)
}
