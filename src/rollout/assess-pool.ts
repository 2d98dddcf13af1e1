import { assessNode } from './assess-node.ts'
import type { AssessedPool } from './assessed-pool.ts'
import { poolBlocker } from './blockers/pool-blocker.ts'
import { goesBack, withinCeiling } from './ceilings/going-back.ts'
import { divide, openIndex } from './exposure/open-waves.ts'
import { countMembers } from './exposure/wave-progress.ts'
import { ONE_WAVE, wavesOf, withFirstNode } from './exposure/waves.ts'
import type { Blocker } from './model/blocker.ts'
import type { RolloutClock } from './model/deadlines.ts'
import type { Instant } from './model/instant.ts'
import type { PoolContext } from './model/pool-state.ts'
import { inOrderOf } from './model/scattered.ts'
import type { PoolSnapshot } from './model/snapshot.ts'
import { reusableFacts, reusableMembers, scatteredOrder } from './reuse-assessment.ts'
import { currentRollout } from './target/current-rollout.ts'

/**
 * Each node of the pool with what it may get now, and how far it is on its way.
 * @param last how the pool was assessed before: what it would find the same is taken over, so that a pass costs what has changed. The
 * result is the same without it.
 */
export function assessPool(asked: PoolSnapshot, now: Instant, last?: AssessedPool): AssessedPool {
  const rollout = currentRollout(asked, now)
  const pool = goesBack(asked, rollout) ? withinCeiling(asked) : asked
  const asAsked = rollout.proven ? ONE_WAVE : wavesOf(pool.policy)
  const open = rollout.state === 'Completed' ? asAsked.length : openIndex(asAsked, rollout.memory.wave)
  const clock = clockOf({ pool, rollout, now })
  const factsFor = reusableFacts({ pool: pool.name, rollout, clock, policy: pool.policy, isDivided: open < asAsked.length }, last)
  const order = scatteredOrder(pool, last)
  const facts = inOrderOf(pool.nodes, order).map(factsFor)
  const waves = withFirstNode(asAsked, { nodes: facts, sizes: rollout.memory.wave?.sizes })
  const { waveOf, divided, lastResort } = divide(facts, { pool, rollout, now, waves, open, clock })
  const blocker = blockerOnceAsked({ pool, rollout, now })
  const context = { pool, rollout, now, waves, open, blocker, clock }
  const knownMember = reusableMembers({ ...context, lastResort }, last)
  const members = facts.map((fact, index) => {
    const wave = waveOf[index]
    return knownMember(fact, wave, index) ?? assessNode(fact, { wave, isLastResort: lastResort.has(fact.name) }, context)
  })
  const notAtRest = members.filter(({ isAtRest }) => !isAtRest)
  const counts = countMembers(members, open)
  return { pool, now, rollout, waves, open, divided, members, notAtRest, counts, clock, blocker, order, facts, lastResort }
}

/**
 * Windows are asked minute by minute, and few nodes need to know. Made here, where nothing else is in scope: the assessment keeps it, and with
 * what a function is made among lives as long as that, such as the last assessment.
 */
function blockerOnceAsked(context: PoolContext): () => Blocker | undefined {
  let known: { readonly blocker: Blocker | undefined } | undefined
  return () => {
    known ??= { blocker: poolBlocker(context) }
    return known.blocker
  }
}

/** The same for all nodes of the pool. */
function clockOf({ pool: { policy, steadySince, watchedSince, listedAt }, rollout, now }: PoolContext): RolloutClock {
  const {
    history: [entry],
    wave,
  } = rollout.memory
  const { retriedAt } = entry ?? {}
  const { soakedAt } = wave ?? {}
  return {
    now,
    ...(retriedAt !== undefined && { retriedAt: Date.parse(retriedAt) }),
    rolloutStart: rollout.startedAt,
    applyTimeout: policy.applyTimeout,
    ...(policy.reboot && { bootTimeout: policy.reboot.timeout }),
    ...(policy.agentTimeout !== undefined && { agentTimeout: policy.agentTimeout }),
    ...(steadySince !== undefined && { steadySince }),
    ...(watchedSince !== undefined && { watchedSince }),
    ...(listedAt !== undefined && { listedAt }),
    ...(soakedAt !== undefined && { soakedAt: Date.parse(soakedAt) }),
  }
}
