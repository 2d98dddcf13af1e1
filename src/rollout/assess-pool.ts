import { poolBlocker } from './blockers/pool-blocker.ts'
import { goesBack, withinCeiling } from './ceilings/going-back.ts'
import { drainOf } from './drain/drain.ts'
import { progressUnder } from './drain/drain-progress.ts'
import type { DrainContext } from './drain/needs-drain.ts'
import { type ExposureContext, exposureOf } from './exposure/exposure.ts'
import { factsOf, type NodeFacts, targetFor } from './exposure/node-facts.ts'
import { divide, openIndex } from './exposure/open-waves.ts'
import { ONE_WAVE, type OpenWaves, wavesOf } from './exposure/waves.ts'
import type { RolloutClock } from './model/deadlines.ts'
import type { Exposure } from './model/exposure.ts'
import type { Instant } from './model/instant.ts'
import { hasGoal, progressOf } from './model/node-progress.ts'
import type { Member, PoolContext, PoolState } from './model/pool-state.ts'
import { dueReboot } from './model/reboot.ts'
import type { Rollout } from './model/rollout.ts'
import type { NodeTarget, PoolSnapshot } from './model/snapshot.ts'
import { judgeProof } from './proof/judge-proof.ts'
import { currentRollout } from './target/current-rollout.ts'

/** Each node of the pool with what it may get now, and how far it is on its way. */
export function assessPool(asked: PoolSnapshot, now: Instant): PoolState {
  const rollout = currentRollout(asked, now)
  const pool = goesBack(asked, rollout) ? withinCeiling(asked) : asked
  const waves = rollout.proven ? ONE_WAVE : wavesOf(pool.policy)
  const open = rollout.state === 'Completed' ? waves.length : openIndex(waves, rollout.memory.wave)
  const clock = clockOf({ pool, rollout, now })
  const facts = pool.nodes.map((node) => factsOf(node, { rollout, clock }))
  const { waveOf, divided, lastResort } = divide(facts, { pool, rollout, now, waves, open, clock })
  const blocker = remembered(() => poolBlocker({ pool, rollout, now }))
  const context = { pool, rollout, now, waves, open, blocker, clock }
  const members = facts.map((fact) =>
    memberOf(fact, { wave: waveOf.get(fact.node.name), isLastResort: lastResort.has(fact.node.name) }, context),
  )
  return { pool, now, rollout, waves, open, divided, members, clock }
}

/** Windows are asked minute by minute, and few nodes need to know. */
function remembered<T>(work: () => T): () => T {
  let known: { readonly result: T } | undefined
  return () => {
    known ??= { result: work() }
    return known.result
  }
}

/** The same for all nodes of the pool. */
function clockOf({ pool: { policy, steadySince }, rollout, now }: PoolContext): RolloutClock {
  return {
    now,
    rolloutStart: rollout.startedAt,
    applyTimeout: policy.applyTimeout,
    ...(policy.reboot && { bootTimeout: policy.reboot.timeout }),
    ...(policy.agentTimeout !== undefined && { agentTimeout: policy.agentTimeout }),
    ...(steadySince !== undefined && { steadySince }),
  }
}

/** The wave of a node, if it counts in one, and whether it may take the place of a member that cannot be paid for. */
type Place = Pick<ExposureContext, 'wave' | 'isLastResort'>

interface MemberContext extends DrainContext, OpenWaves {
  readonly clock: RolloutClock
}

/** Every object here is made once a node and pass: literals of one shape cost a fraction of spreads. */
function memberOf(facts: NodeFacts, { wave, isLastResort }: Place, context: MemberContext): Member {
  const { waves, open, rollout, clock, now } = context
  const { node, report, joins } = facts
  const exposure = exposureOf(facts, { rollout, waves, open, wave, isLastResort })
  const content = contentOf(facts, { exposure, rollout, clock })
  const { revision, wanted } = content
  const { policy, proofs } = context.pool
  const reboot = dueReboot(node, { policy, ceiling: context.pool.ceiling, now })
  const assigned = content.assigned && reboot === undefined
  const soak = wave !== undefined && wave >= open ? (waves[wave]?.soak ?? 0) : 0
  const proof = node.proof && judgeProof(node, { policy: policy.proof, proofs, report, clock })
  const progress = progressOf(node, { ...clock, report, wanted, joins, soak, proof, isToReboot: reboot !== undefined })
  const broken = isBroken(facts, rollout)
  const candidate = { node, report, revision, wanted, assigned, exposure, progress, broken, wave, proof, reboot }
  const drain = drainOf(candidate, context)
  return drain ? { ...candidate, drain, progress: progressUnder(drain, { progress, ready: node.ready, now }) } : candidate
}

interface Content {
  readonly revision: string
  readonly wanted: NodeTarget
  readonly assigned: boolean
}

/** What the node is to become: the stable content where the rule says so, else the target, now or in its turn. */
function contentOf(
  { node, report, target, assigned, joins }: NodeFacts,
  { exposure, rollout, clock }: { readonly exposure: Exposure; readonly rollout: Rollout; readonly clock: RolloutClock },
): Content {
  const { stable } = rollout
  if (!stable || !(joins || exposure.content === 'stable')) return { revision: rollout.target.revision, wanted: target, assigned }
  const wanted = targetFor(node, stable)
  return { revision: stable.revision, wanted, assigned: hasGoal(node, { report, wanted }, clock) }
}

/** A rollout that did not end has got at it, and it is not well: a drain does not wait for it. */
function isBroken({ node, condition }: NodeFacts, { stable }: Rollout): boolean {
  if (condition === 'Broken') return true
  const good = stable && targetFor(node, stable)
  return node.assigned !== undefined && !node.ready && !(good?.kind === 'config' && good.digest === node.assigned.digest)
}
