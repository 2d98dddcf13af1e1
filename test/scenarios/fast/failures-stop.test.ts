import { expect, test } from 'vitest'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import type { WavePolicy } from '../../../src/rollout/model/policy.ts'
import { minute, noon } from '../../rollout/builders/instants.ts'
import { nodes } from '../../rollout/builders/nodes.ts'
import { aWave } from '../../rollout/builders/policies.ts'
import { aPool } from '../../rollout/builders/pools.ts'
import { failuresStop } from './invariants/failures-stop.ts'
import { triedNode } from './tried-node.ts'

const others = nodes('b', 'c', 'd').map((node) => node.on('older'))

/** Whether the claim holds when another node is selected beside this one, as where one may fail, and so many may. */
function holdsBeside(
  node: NodeView,
  { maxFailures, stable = 'older', waves = [] }: { maxFailures: number; stable?: string; waves?: readonly WavePolicy[] },
): boolean | undefined {
  const borne = waves.map(({ maxFailures: _, ...wave }) => wave)
  const options = { stable: 'older', since: noon - minute, maxFailures: 1, maxUnavailable: 1, waves: borne }
  const pool = aPool(options).with(node, ...others)
  const decisions = [...decideFleet({ pools: [pool], policy: {}, controls: {} }, noon)].map(([name, decision]) => {
    expect(decision.actions).toMatchObject([{ kind: 'assign', digest: 'new' }])
    const status = { ...decision.status, stable: { revision: stable, fingerprint: `of ${stable}` } }
    return [name, { ...decision, status }] as const
  })
  const fleet = {
    pools: [{ ...pool, policy: { ...pool.policy, waves, maxFailures: { count: maxFailures } } }],
    policy: {},
    controls: {},
  }
  return failuresStop.ofDecision?.({ fleet, at: noon, decisions: new Map(decisions), isNews: true, held: new Set() })
}

test('the claim falls when a node is selected for content that has failed on more nodes than may fail', () => {
  expect(holdsBeside(triedNode('crash'), { maxFailures: 0 })).toBe(false)
})

test('the claim holds when so many may fail, or none has', () => {
  expect(holdsBeside(triedNode('crash'), { maxFailures: 1 })).toBe(true)
  expect(holdsBeside(triedNode('good'), { maxFailures: 0 })).toBe(true)
})

test('the claim falls when a node is selected while more nodes of the first wave have failed than may of that', () => {
  const holdsWith = (ofWave: number) => {
    const early = { ...aWave('early', 3), maxFailures: { count: ofWave } }
    return holdsBeside(triedNode('crash'), { maxFailures: 1, waves: [early] })
  }

  expect(holdsWith(0)).toBe(false)
  expect(holdsWith(1)).toBe(true)
})

test('on a return as many may fail as may be unavailable', () => {
  expect(holdsBeside(triedNode('crash'), { maxFailures: 0, stable: 'new' })).toBe(true)
})
