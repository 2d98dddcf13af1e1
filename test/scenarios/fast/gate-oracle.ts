import type { AskGate } from '../../../src/rollout/model/decision.ts'
import type { Instant } from '../../../src/rollout/model/instant.ts'
import type { GateAnswer } from '../../../src/rollout/model/snapshot.ts'

/** What every gate says when it is asked, and which ones have held. */
export class GateOracle {
  says: GateAnswer['verdict'] = 'Held'
  readonly held = new Set<string>()

  answer(pool: string, { gate, wave, run, question }: AskGate, at: Instant): GateAnswer {
    const verdict = this.says
    if (question === 'after' && verdict === 'Held') this.held.add(passKey({ pool, run, wave, gate: gate.name }))
    return { gate: gate.name, wave, run, question, at, verdict, message: verdict, unavailable: [] }
  }
}

export function passKey(of: {
  readonly pool: string
  readonly run: string
  readonly wave: string
  readonly gate: string
}): string {
  return `${of.pool} ${of.run} ${of.wave} ${of.gate}`
}
