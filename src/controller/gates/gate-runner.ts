import type { AskGate } from '../../rollout/model/decision.ts'
import type { GateAnswer } from '../../rollout/model/snapshot.ts'
import type { Clock } from '../clock/clock.ts'
import type { GateFinding, Inquiries } from './gate-check.ts'

/** A question that takes longer, in milliseconds, has no answer. */
const ASK_TIMEOUT = 30_000
const MAX_MESSAGE = 500

export interface GateKeeperOptions {
  readonly inquire: Inquiries
  readonly clock: Clock
  /** Told of each answer. */
  readonly changed: () => void
  /** Ends every question. */
  readonly signal: AbortSignal
}

/**
 * Asks gates, one question at a time for each, and keeps what they said until the run or the wave is another one. Nothing is lost with
 * it: what counts goes into the NodePool's status, and what did not get there is asked again.
 */
export class GateKeeper {
  readonly #options: GateKeeperOptions
  readonly #answers = new Map<string, readonly GateAnswer[]>()
  readonly #underWay = new Set<string>()

  constructor(options: GateKeeperOptions) {
    this.#options = options
  }

  answersFor(pool: string): readonly GateAnswer[] {
    return this.#answers.get(pool) ?? NONE
  }

  ask(pool: string, asked: AskGate): void {
    const key = [pool, asked.run, asked.wave, asked.gate.name, asked.question].join('\0')
    if (this.#underWay.has(key)) return
    this.#underWay.add(key)
    void this.#find(pool, asked)
      .then((finding) => this.#keep(pool, asked, finding))
      .finally(() => this.#underWay.delete(key))
      .then(this.#options.changed)
  }

  async #find(pool: string, asked: AskGate): Promise<GateFinding> {
    const { inquire, signal } = this.#options
    const timeout = AbortSignal.timeout(ASK_TIMEOUT)
    const ending = AbortSignal.any([signal, timeout])
    try {
      const ended = Promise.withResolvers<never>()
      ending.addEventListener('abort', () => ended.reject(ending.reason), { once: true })
      return await Promise.race([inquiryFor(inquire, asked)(pool, ending), ended.promise])
    } catch (error) {
      const message = timeout.aborted ? `no answer within ${ASK_TIMEOUT / 1000} s` : (error as Error).message
      return { verdict: 'Unanswered', message }
    }
  }

  #keep(pool: string, { gate, wave, run, question }: AskGate, { verdict, value, message, unavailable }: GateFinding): void {
    const at = this.#options.clock.now()
    const answer = {
      gate: gate.name,
      wave,
      run,
      question,
      at,
      verdict,
      value,
      message: message.slice(0, MAX_MESSAGE),
      unavailable,
    }
    const others = this.answersFor(pool).filter((other) => other.run === run && other.wave === wave && other.gate !== gate.name)
    this.#answers.set(pool, [...others, answer])
  }
}

const NONE: readonly GateAnswer[] = []

/** The kinds apart, so that each is asked what it understands. */
function inquiryFor(inquire: Inquiries, asked: AskGate): (pool: string, signal: AbortSignal) => Promise<GateFinding> {
  const { check } = asked.gate
  if (check.kind === 'prometheus') return (pool, signal) => inquire.prometheus(check, { ...asked, pool }, signal)
  if (check.kind === 'job') return (pool, signal) => inquire.job(check, { ...asked, pool }, signal)
  if (check.kind === 'workloads') return (pool, signal) => inquire.workloads(check, { ...asked, pool }, signal)
  return (pool, signal) => inquire.nodeConditions(check, { ...asked, pool }, signal)
}
