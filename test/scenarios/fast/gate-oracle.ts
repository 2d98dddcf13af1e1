import type { AskGate } from '../../../src/rollout/model/decision.ts'
import type { Instant } from '../../../src/rollout/model/instant.ts'
import type { GateAnswer, Memory } from '../../../src/rollout/model/snapshot.ts'

/** What every gate says when it is asked, and which ones have held. */
export class GateOracle {
  says: GateAnswer['verdict'] = 'Passed'
  readonly held = new Set<string>()

  answer(pool: string, { gate, wave, rollout, revision, question }: AskGate, at: Instant): GateAnswer {
    const verdict = this.says
    if (question === 'after' && verdict === 'Passed') this.held.add(passKey({ pool, revision, wave, gate: gate.name }))
    return { gate: gate.name, wave, rollout, question, at, verdict, message: verdict, unavailable: [] }
  }

  /** What held in an older rollout counts no more. A rollout that goes on may be stamped again: its commit identifies it. */
  rolloutWritten(pool: string, before: Memory, after: Memory): void {
    if (isSameRollout(before, after)) return
    for (const key of this.held) if (key.startsWith(`${pool} `)) this.held.delete(key)
  }
}

export function isSameRollout(
  { history: [before] }: Pick<Memory, 'history'>,
  { history: [after] }: Pick<Memory, 'history'>,
): boolean {
  return before?.result === 'Running' && before.revision === after?.revision
}

export function passKey(of: {
  readonly pool: string
  readonly revision: string
  readonly wave: string
  readonly gate: string
}): string {
  return `${of.pool} ${of.revision} ${of.wave} ${of.gate}`
}
