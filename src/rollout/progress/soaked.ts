import { latestOf } from '../model/deadlines.ts'
import { type Instant, stamp } from '../model/instant.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { soakStamps } from '../model/progress-on-goal.ts'
import type { Memory } from '../model/snapshot.ts'

/**
 * That its nodes have soaked, while the wave waits for a gate or a person: another leader, or this one after an outage or a jump of the
 * clock, does not have them soak again. Undefined when it is remembered already.
 */
export function rememberSoaked(poolState: PoolState): Memory | undefined {
  const { rollout, members } = poolState
  const { wave } = rollout.memory
  const soakedAt = members.reduce((latest, member) => Math.max(latest, soakedBy(member, poolState)), Number.NEGATIVE_INFINITY)
  const known = Date.parse(wave?.soakedAt ?? '')
  if (!wave || soakedAt === Number.NEGATIVE_INFINITY || soakedAt <= known) return undefined
  return { ...rollout.memory, wave: { ...wave, soakedAt: stamp(soakedAt) } }
}

/** When the soak of the node ended, by the clocks alone. */
function soakedBy({ node, report, proof, wave, progress }: Member, { waves, open, clock }: PoolState): Instant {
  const { soak = 0 } = waves[open] ?? {}
  if (soak === 0 || wave !== open || progress.phase !== 'Current' || !node.assigned) return Number.NEGATIVE_INFINITY
  return latestOf(soakStamps({ node, report, proof }), { assigned: node.assigned, clock }) + soak
}
