import { expect, test } from 'vitest'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import type { Action } from '../../../src/rollout/model/decision.ts'
import type { Instant } from '../../../src/rollout/model/instant.ts'
import { hour, minute, noon } from '../../rollout/builders/instants.ts'
import { aPool } from '../../rollout/builders/pools.ts'
import { noRetryByItself } from './invariants/no-retry-by-itself.ts'
import { SimNode } from './sim-node.ts'

const since = noon - hour
const OPTIONS = { wantsProof: false, patience: hour }

/** A sound node that was assigned the target, and whose agent has ended that. */
function tried({ at, effect }: { readonly at: Instant; readonly effect: 'good' | 'crash' }): SimNode {
  const node = new SimNode('a', { pool: 'workers', zone: 'zone-a', now: noon - 2 * hour, onChange: () => undefined })
  const assigned = { digest: 'new', revision: 'new', pool: 'workers', grant: 'restart', reboot: undefined, at } as const
  node.assign(assigned, { ...OPTIONS, now: at })
  for (let i = 0; i < 3; i++) node.step(() => effect, at)
  return node
}

/** Whether the claim holds when that is assigned to it again. */
function holdsWhenAgain(node: SimNode, { retried }: { readonly retried?: string } = {}): boolean | undefined {
  const pool = aPool({ stable: 'older', since, ...(retried && { retried }) }).with(node.view())
  const fleet = { pools: [pool], policy: {}, controls: {} }
  const action: Action = { kind: 'assign', node: 'a', revision: 'new', digest: 'new', grant: 'restart', at: noon }
  const decisions = [...decideFleet(fleet, noon)].map(([name, { status, ...decision }]) => {
    const [run] = pool.memory.history
    return [name, { ...decision, actions: [action], status: { ...status, history: run ? [run] : [] } }] as const
  })
  return noRetryByItself.ofDecision?.({ fleet, at: noon, decisions: new Map(decisions), isNews: true, held: new Set() })
}

test('the claim falls when what a node was rolled back from in this rollout is assigned to it again', () => {
  expect(holdsWhenAgain(tried({ at: noon - minute, effect: 'crash' }))).toBe(false)
})

test('the claim holds when the content did not fail, failed in an earlier rollout, or a person asks for a retry', () => {
  expect(holdsWhenAgain(tried({ at: noon - minute, effect: 'good' }))).toBe(true)
  expect(holdsWhenAgain(tried({ at: since - minute, effect: 'crash' }))).toBe(true)
  expect(holdsWhenAgain(tried({ at: noon - minute, effect: 'crash' }), { retried: 'new' })).toBe(true)
})
