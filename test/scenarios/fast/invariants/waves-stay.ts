import type { WaveStatus } from '../../../../src/protocol/node-pool.ts'
import type { WavePolicy } from '../../../../src/rollout/model/policy.ts'
import { contentOf } from '../content.ts'
import type { Invariant } from '../invariants.ts'
import { isExposed, keepsToPlaces } from './canary-exposure.ts'
import { allowed, type Decided, decidedPools, stepsOf } from './steps.ts'

export const wavesStay: Invariant = {
  claim: 'a wave that is a percentage is calculated when it opens, and the open waves select no more nodes than they have places',
  ofDecision: (observed) => decidedPools(observed).every((decided) => keepsSizes(decided) && keepsToWaves(decided)),
}

function keepsSizes({ pool: { nodes, policy, memory }, decision: { status } }: Decided): boolean {
  const [run, before] = [status.history[0], memory.history[0]]
  if (run?.result !== 'Running') return true
  const known = before?.result === 'Running' && before.fingerprint === run.fingerprint ? memory.wave : undefined
  return openWaves(policy.waves, status.wave).every((wave) => {
    if (!('percent' in wave.nodes)) return true
    // One that a commit closed, and that opens again in the same rollout, has the size from before.
    const most = sizeOf(wave, known) ?? allowed(wave.nodes, nodes.length)
    return (sizeOf(wave, status.wave) ?? Number.POSITIVE_INFINITY) <= most
  })
}

/** Without those that have all nodes, or go by labels. */
function keepsToWaves(decided: Decided): boolean {
  const { pool, decision } = decided
  const { history, target, wave } = decision.status
  const [run] = history
  const content = target?.fingerprint.slice('of '.length)
  const places = openWaves(pool.policy.waves, wave).map((open) => ('count' in open.nodes ? open.nodes.count : sizeOf(open, wave)))
  if (run?.result !== 'Running' || places.length === 0 || places.length !== wave?.opened?.length) return true
  const total = places.reduce<number>((sum, nodes = Number.POSITIVE_INFINITY) => sum + nodes, 0)
  const exposed = pool.nodes.filter((node) => isExposed(node, { content, run, pool: pool.name }))
  const others = stepsOf(decided).filter(({ node, digest }) => contentOf(digest) === content && !exposed.includes(node))
  return keepsToPlaces(total, { exposed, others: others.map(({ node }) => node), run })
}

function openWaves(waves: readonly WavePolicy[], status: WaveStatus | undefined): WavePolicy[] {
  const isLast = status?.index === status?.count
  return waves.filter(({ name, nodes }) => !isLast && status?.opened?.includes(name) && !('matchLabels' in nodes))
}

function sizeOf({ name }: WavePolicy, status: WaveStatus | undefined): number | undefined {
  return status?.sizes?.find((size) => size.name === name)?.nodes
}
