import { expect, test } from 'vitest'
import type { LaterFailures } from '../../../src/protocol/node-pool.ts'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import { stamp } from '../../../src/rollout/model/instant.ts'
import { hour, minute, noon } from '../../rollout/builders/instants.ts'
import { aNode } from '../../rollout/builders/nodes.ts'
import { aPool } from '../../rollout/builders/pools.ts'
import { aRollout } from '../../rollout/builders/revisions.ts'
import { replacedMachines } from './invariants/replaced-machines.ts'

/** Whether the claim holds when one more machine is gone, after what the pool remembers; its decision may remember another instant. */
function holdsAfter(before: Partial<LaterFailures>, { since }: { since?: number } = {}): boolean | undefined {
  const laterFailures = { nodes: ['gone'], ...before }
  const history = [{ ...aRollout('new', { result: 'Completed', startedAt: noon - hour }), laterFailures }]
  const pool = aPool({ stable: 'new', applyTimeout: 10 * minute, history }).with(aNode('a').on('new', { at: noon - hour }))
  const fleet = { pools: [pool], policy: {}, controls: {} }
  const decisions = [...decideFleet(fleet, noon)].map(([name, decision]) => {
    const [run, ...older] = decision.status.history
    if (!run?.laterFailures || since === undefined) return [name, decision] as const
    const changed = { ...run, laterFailures: { ...run.laterFailures, since: stamp(since) } }
    return [name, { ...decision, status: { ...decision.status, history: [changed, ...older] } }] as const
  })
  return replacedMachines.ofDecision?.({ fleet, at: noon, decisions: new Map(decisions), isNews: true, held: new Set() })
}

test('the claim holds when machines that were gone before count from the later instant, as after a clock was put back a little', () => {
  expect(holdsAfter({})).toBe(true)
  expect(holdsAfter({ replaced: 1, since: stamp(noon - minute) })).toBe(true)
  expect(holdsAfter({ replaced: 1, since: stamp(noon + 3000) })).toBe(true)
  expect(holdsAfter({ replaced: 1, since: stamp(noon + hour) })).toBe(true)
})

test('the claim falls when a machine that is gone counts from any other instant', () => {
  expect(holdsAfter({}, { since: noon - 1 })).toBe(false)
  expect(holdsAfter({ replaced: 1, since: stamp(noon - minute) }, { since: noon - minute })).toBe(false)
  expect(holdsAfter({ replaced: 1, since: stamp(noon + 3000) }, { since: noon })).toBe(false)
  expect(holdsAfter({ replaced: 1, since: stamp(noon + hour) }, { since: noon + hour })).toBe(false)
})
