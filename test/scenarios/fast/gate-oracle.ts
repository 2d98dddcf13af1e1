import type { AskGate } from '../../../src/rollout/model/decision.ts'
import type { Instant } from '../../../src/rollout/model/instant.ts'
import type { GateAnswer } from '../../../src/rollout/model/snapshot.ts'

/** What every gate says when it is asked, and which ones have held. */
export class GateOracle {
  says: GateAnswer['verdict'] = 'Passed'
  readonly held = new Set<string>()

  answer(pool: string, { gate, wave, rollout, question }: AskGate, at: Instant): GateAnswer {
    const verdict = this.says
    if (question === 'after' && verdict === 'Passed') this.held.add(passKey({ pool, rollout, wave, gate: gate.name }))
    return { gate: gate.name, wave, rollout, question, at, verdict, message: verdict, unavailable: [] }
  }
}

export function passKey(of: {
  readonly pool: string
  readonly rollout: string
  readonly wave: string
  readonly gate: string
}): string {
  return `${of.pool} ${of.rollout} ${of.wave} ${of.gate}`
}
