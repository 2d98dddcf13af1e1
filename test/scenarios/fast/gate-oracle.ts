import type { GateResult } from '../../../src/controller/gates/gate-check.ts'
import type { AskGate } from '../../../src/rollout/model/decision.ts'
import type { GateAnswer, Memory } from '../../../src/rollout/model/snapshot.ts'
import type { Observed } from './controller.ts'

/** What every gate says when it is asked, and which ones have held. */
export class GateOracle {
  says: GateAnswer['verdict'] = 'Passed'
  readonly held = new Set<string>()
  /** The same of all rollouts that there ever were. */
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
   * again by its nodes has its own stamp.
   */
  rolloutWritten(pool: string, before: Memory, after: Memory): void {
    if (isSameRollout(before, after)) return
    const [run] = after.history
    const found = isLost(before) ? run?.startedAt : undefined
    const isKept = (key: string): boolean =>
      found !== undefined && (key.endsWith(` ${found}`) || this.held.has(runKey(key, found)))
    for (const key of this.held) if (key.startsWith(`${pool} `) && !isKept(key)) this.held.delete(key)
  }

  /** A tool has written an older status: the gates of its rollout that had held have held. */
  statusReplaced(pool: string, { history: [run] }: Pick<Memory, 'history'>): void {
    if (run === undefined) return
    const begin = `${pool} ${run.revision} `
    for (const { key, rollout } of this.#everHeld)
      if (rollout === run.startedAt && key.startsWith(begin)) this.held.add(key).add(runKey(key, rollout))
  }
}

/** Somebody deleted the NodePool: the run is found again by what its nodes were assigned. */
export function isLost({ history }: Pick<Memory, 'history'>): boolean {
  return history.length === 0
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
