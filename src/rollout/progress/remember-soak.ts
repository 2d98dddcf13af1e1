import { latestOf } from '../model/deadlines.ts'
import { type Instant, stamp } from '../model/instant.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { soakStamps } from '../model/progress-when-assigned.ts'
import type { Memory } from '../model/snapshot.ts'

/**
 * That its nodes have soaked, while the wave waits for a gate or a person: another leader, or this one after an outage or a jump of the
 * clock, does not have them soak again. Undefined when it is remembered already.
 */
export function rememberSoaked(poolState: PoolState): Memory | undefined {
  const { rollout, members, waves, open } = poolState
  const { wave } = rollout.memory
  const { soak = 0 } = waves[open] ?? {}
  if (!wave || soak === 0) return undefined
  const began = members.reduce((latest, member) => Math.max(latest, soakBegan(member, poolState)), Number.NEGATIVE_INFINITY)
  const soakedAt = began + soak
  if (soakedAt === Number.NEGATIVE_INFINITY || soakedAt <= Date.parse(wave.soakedAt ?? '')) return undefined
  return { ...rollout.memory, wave: { ...wave, soakedAt: stamp(soakedAt) } }
}

/** When the soak of the node began that has ended. */
function soakBegan({ node, report, proof, wave, progress }: Member, { open, clock }: PoolState): Instant {
  if (wave !== open || progress.phase !== 'Current' || !node.assigned) return Number.NEGATIVE_INFINITY
  return latestOf(soakStamps({ node, report, proof }), { assigned: node.assigned, clock })
}
