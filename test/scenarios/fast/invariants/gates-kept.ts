import { assessPool } from '../../../../src/rollout/assess-pool.ts'
import { decideFleet, POOL_STEPS } from '../../../../src/rollout/decide-fleet.ts'
import type { PoolSnapshot } from '../../../../src/rollout/model/snapshot.ts'
import type { Observed } from '../controller.ts'
import { isSameRollout, passKey, runKey } from '../gate-oracle.ts'
import type { Invariant } from '../invariants.ts'
import { type Decided, decidedPools } from './steps.ts'

/** Of what the gates really said, not of what the status says that they did. */
export const gatesKept: Invariant = {
  claim: 'no wave opens, and no run completes, before the gates of the wave before have held',
  ofDecision(observed) {
    const ahead = decidedPools(observed)
      .filter(({ pool }) => pool.policy.gates !== undefined)
      .filter(isAhead)
    if (ahead.length === 0) return true
    const inFleet = poolsInFleet(observed)
    return ahead.every((decided) => isKept({ ...decided, pool: inFleet.get(decided.pool.name) ?? decided.pool }, observed))
  },
}

/** Something began, opened or ended in this decision. */
function isAhead({ pool, decision }: Decided): boolean {
  return placeOf(pool.memory) !== placeOf(decision.status)
}

function placeOf({ history: [top], wave }: Pick<PoolSnapshot['memory'], 'history' | 'wave'>): string {
  return JSON.stringify([top?.revision, top?.startedAt, top?.result, wave?.opened])
}

/** What stops the fleet decides which rollout a pool is in: a commit that is withheld is none. */
function poolsInFleet({ fleet, at }: Observed): ReadonlyMap<string, PoolSnapshot> {
  const pools = new Map<string, PoolSnapshot>()
  decideFleet(fleet, at, {
    ...POOL_STEPS,
    assess(pool, facts, now) {
      pools.set(pool.name, { ...pool, fleet: facts })
      return POOL_STEPS.assess(pool, facts, now)
    },
  })
  return pools
}

function isKept({ pool, decision }: Decided, { at, held }: Observed): boolean {
  const { rollout, waves, open, members } = assessPool(pool, at)
  const [top] = decision.status.history
  const [assessed] = rollout.memory.history
  if (rollout.state !== 'InProgress' || rollout.proven || top === undefined) return true
  // Two runs may begin at one instant.
  if (top.startedAt !== assessed?.startedAt || top.revision !== assessed.revision) return true
  const isSame = isSameRollout(pool.memory, decision.status)
  const hasPassed = (key: string): boolean => held.has(isSame ? key : runKey(key, top.startedAt))
  const openNow = top.result === 'Completed' ? waves.length : (decision.status.wave?.index ?? 1) - 1
  const from = Math.max(0, open)
  return waves.slice(from, openNow).every(({ name }, i) => {
    const isEmpty = members.every(({ wave }) => wave !== from + i)
    const asked = (pool.policy.gates ?? []).filter(({ after }) => after === undefined || after.includes(name))
    const { revision } = top
    return isEmpty || asked.every((gate) => hasPassed(passKey({ pool: pool.name, revision, wave: name, gate: gate.name })))
  })
}
