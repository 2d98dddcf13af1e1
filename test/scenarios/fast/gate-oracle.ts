import type { GateResult } from '../../../src/controller/gates/gate-check.ts'
import type { AskGate } from '../../../src/rollout/model/decision.ts'
import type { GateAnswer, Memory } from '../../../src/rollout/model/snapshot.ts'
import type { Observed } from './controller.ts'

/** What every gate says when it is asked, and which ones have held. */
export class GateOracle {
  says: GateAnswer['verdict'] = 'Passed'
  /** By `passKey` of the rollout under way, and by `runKey` of every one that there was. */
  readonly held = new Set<string>()
  readonly #everHeld: { readonly key: string; readonly rollout: string }[] = []

  /** What the real check says of workloads, where stories have some. */
  workloads?: (pool: string, ask: AskGate, observed: Observed) => GateResult

  answer(pool: string, ask: AskGate, observed: Observed): GateAnswer {
    const { gate, wave, rollout, revision, check, question } = ask
    const { verdict, ...more } = this.#resultOf(pool, ask, observed)
    if (question === 'after' && verdict === 'Passed') {
      const key = passKey({ pool, revision, wave, gate: gate.name })
      this.held.add(key).add(runKey(key, rollout))
      this.#everHeld.push({ key, rollout })
    }
    return { gate: gate.name, wave, revision, rollout, check, question, at: observed.at, verdict, ...more }
  }

  #resultOf(pool: string, ask: AskGate, observed: Observed): GateResult {
    const { says: verdict, workloads } = this
    const isOfWorkloads = ask.gate.check.kind === 'workloads' && verdict !== 'Unanswered'
    return isOfWorkloads && workloads ? workloads(pool, ask, observed) : { verdict, message: verdict, unavailable: [] }
  }

  /**
   * What held in an older rollout counts no more. A rollout that goes on may be stamped again: its commit identifies it. One that is found
   * again, by its nodes or in a status that a tool restores, has its own stamp, and what held in it has held.
   */
  rolloutWritten(pool: string, before: Pick<Memory, 'history'>, after: Pick<Memory, 'history'>): void {
    if (isSameRollout(before, after)) return
    for (const { key, rollout } of this.#everHeld)
      if (key.startsWith(`${pool} `) && rollout !== after.history[0]?.startedAt) this.held.delete(key)
    this.statusReplaced(pool, after)
  }

  /** A tool has written an older status. */
  statusReplaced(pool: string, { history: [run] }: Pick<Memory, 'history'>): void {
    for (const { key, rollout } of this.#everHeld)
      if (key.startsWith(`${pool} `) && rollout === run?.startedAt) this.held.add(key)
  }
}

/** That it held in the run which began at this instant. */
export function runKey(key: string, startedAt: string): string {
  return `${key} ${startedAt}`
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
