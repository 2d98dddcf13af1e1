import { assessPool } from '../../../../src/rollout/assess-pool.ts'
import { isSameRollout, passKey } from '../gate-oracle.ts'
import type { Invariant } from '../invariants.ts'
import { type Decided, decidedPools } from './steps.ts'

/** Of what the gates really said, not of what the status says that they did. */
export const gatesKept: Invariant = {
  claim: 'no wave opens, and no run completes, before the gates of the wave before have held',
  ofDecision: (observed) => decidedPools(observed).every((decided) => isKept(decided, observed)),
}

function isKept({ pool, decision }: Decided, { at, held }: { readonly at: number; readonly held: ReadonlySet<string> }): boolean {
  if (pool.policy.gates === undefined) return true
  const { rollout, waves, open, members } = assessPool(pool, at)
  const [top] = decision.status.history
  if (rollout.state !== 'InProgress' || rollout.proven || top === undefined) return true
  if (top.startedAt !== rollout.memory.history[0]?.startedAt) return true
  const passed = isSameRollout(pool.memory, decision.status) ? held : new Set()
  const openNow = top.result === 'Completed' ? waves.length : (decision.status.wave?.index ?? 1) - 1
  const from = Math.max(0, open)
  return waves.slice(from, openNow).every(({ name }, i) => {
    const isEmpty = members.every(({ wave }) => wave !== from + i)
    const asked = (pool.policy.gates ?? []).filter(({ after }) => after === undefined || after.includes(name))
    const { revision } = top
    return isEmpty || asked.every((gate) => passed.has(passKey({ pool: pool.name, revision, wave: name, gate: gate.name })))
  })
}
