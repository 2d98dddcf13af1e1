import { expect, test } from 'vitest'
import { Decider } from '../../src/controller/decider.ts'
import { POOL_STEPS } from '../../src/rollout/decide-fleet.ts'
import type { PoolSnapshot } from '../../src/rollout/model/snapshot.ts'
import { noon } from '../rollout/builders/instants.ts'
import { aNode, nodes } from '../rollout/builders/nodes.ts'
import { aPool } from '../rollout/builders/pools.ts'

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

test('a Decider assesses a pool once when nothing but the status of its decision comes back as its memory, and tells no event twice', () => {
  let assessed = 0
  const decider = new Decider({
    ...POOL_STEPS,
    assess: (pool, facts, now, last) => {
      assessed += 1
      return POOL_STEPS.assess(pool, facts, now, last)
    },
  })
  const decide = (pool: PoolSnapshot, now: number) => {
    const decision = decider.decide({ pools: [pool], policy: {}, controls: {} }, now).decisions.get(pool.name)
    if (!decision) throw new Error('a pool without a decision')
    return decision
  }
  const pool = aPool({ controls: { paused: 'holidays' }, stable: 'older' }).with(aNode('x').on('older').reporting('Applied'))
  const first = decide(pool, noon)
  expect(first.actions).toEqual([])
  expect(first.events.map(({ reason }) => reason)).toEqual(['Paused', 'RolloutStarted'])
  const conditions = first.status.conditions.map((condition) => ({ ...condition, observedGeneration: 7 }))
  const again = decide({ ...pool, memory: { ...first.status, conditions } }, noon + 1_000)
  expect(again).toEqual({ ...first, events: [] })
  expect(assessed).toBe(1)
  decide({ ...pool, memory: { ...first.status, failed: [{ node: 'x', reason: 'Other', message: 'edited' }] } }, noon + 2_000)
  expect(assessed).toBe(2)
})

test('a Decider assesses a pool again when its time has come, and not before', () => {
  let assessed = 0
  const decider = new Decider({
    ...POOL_STEPS,
    assess: (...asked) => {
      assessed += 1
      const assessment = POOL_STEPS.assess(...asked)
      return assessment && { ...assessment, wakeAt: noon + 60_000 }
    },
  })
  let pool = aPool({ controls: { paused: 'holidays' }, stable: 'older' }).with(aNode('x').on('older').reporting('Applied'))
  const counts = [noon, noon + 59_999, noon + 60_000].map((now) => {
    const decision = decider.decide({ pools: [pool], policy: {}, controls: {} }, now).decisions.get('workers')
    if (decision) pool = { ...pool, memory: decision.status }
    return assessed
  })
  expect(counts).toEqual([1, 1, 2])
})

test('a Decider clears a control when the status that comes back says that it was observed', () => {
  const decider = new Decider()
  const pool = aPool({ controls: { paused: 'holidays', retry: 'new' }, stable: 'older' }).with(aNode('x').on('older'))
  const actionsOf = (memory: PoolSnapshot['memory']) => {
    const { decisions } = decider.decide({ pools: [{ ...pool, memory }], policy: {}, controls: {} }, noon)
    return decisions.get('workers')
  }
  const first = actionsOf(pool.memory)
  expect(first?.actions).toEqual([])
  expect(actionsOf(first?.status ?? pool.memory)?.actions).toEqual([{ kind: 'clearControl', control: 'retry', value: 'new' }])
})
