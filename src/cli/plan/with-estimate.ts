import type { SimulatedPool } from '../../simulate/simulation.ts'
import type { PlanView, WaveView } from '../plan-view.ts'
import type { Estimate } from '../simulate/estimate.ts'

/** The plan with how its rollout would go: in a line, and when each wave comes. */
export function withEstimate(view: PlanView, { text, rollouts, startsAt, endsAt }: Estimate): PlanView {
  const byPool = new Map(rollouts.map((rollout) => [rollout.pool, rollout]))
  const pools = view.pools.map((pool) => {
    const rollout = byPool.get(pool.pool)
    if (rollout === undefined) return pool
    return { ...pool, waves: pool.waves.map((wave) => ({ ...wave, ...timesOf(wave, rollout, { startsAt, endsAt }) })) }
  })
  return { ...view, pools, estimate: text }
}

function timesOf(
  { name, nodes }: WaveView,
  { steps }: SimulatedPool,
  { startsAt, endsAt }: Pick<Estimate, 'startsAt' | 'endsAt'>,
): Pick<WaveView, 'begins' | 'lasts'> {
  const first = steps.findIndex((step) => step.wave?.name === name && step.nodes > 0)
  const begin = steps[first]
  if (begin === undefined || nodes.length === 0) return {}
  const end = steps.find((step, index) => index > first && step.wave?.name !== name)?.at ?? endsAt
  return { begins: (begin.at - startsAt) / 1000, lasts: (end - begin.at) / 1000 }
}
