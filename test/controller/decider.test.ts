import { expect, test } from 'vitest'
import { Decider } from '../../src/controller/decider.ts'
import { POOL_STEPS } from '../../src/rollout/decide-fleet.ts'
import { aPool, nodes, noon } from '../rollout/builders.ts'

test('a pool that cannot be decided upon does not keep the others from it, and counts for them as it was', () => {
  const mistake = new TypeError('a mistake of ours')
  const decider = new Decider({
    ...POOL_STEPS,
    assess: (pool, facts, now) => {
      if (pool.name === 'a') throw mistake
      return POOL_STEPS.assess(pool, facts, now)
    },
  })
  const pools = ['a', 'b'].map((name) => ({ ...aPool().with(...nodes('x')), name }))
  for (let times = 0; times < 2; times += 1) {
    const { decisions, undecided } = decider.decide({ pools, policy: {}, controls: {} }, noon)
    expect([...undecided]).toEqual([['a', mistake]])
    expect([...decisions.keys()]).toEqual(['b'])
  }
})
