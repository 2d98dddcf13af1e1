import { expect, test } from 'vitest'
import type { LostNode } from '../../../src/protocol/node-pool.ts'
import type { Member, PoolState } from '../../../src/rollout/model/pool-state.ts'
import { isTooMuch } from '../../../src/rollout/progress/failures.ts'
import { aMember } from '../builders/members.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'

interface Given {
  readonly failures?: readonly Member[]
  readonly replaced?: readonly LostNode[]
  readonly policy?: PoolOptions
  /** The pool is on its way back. */
  readonly goesBack?: boolean
  readonly waves?: { readonly pending?: number; readonly current?: number; readonly changed?: number }
}

/** Of a pool of ten nodes of which most still wait. */
function isStopped({ failures = [], replaced = [], policy = {}, goesBack = false, waves = {} }: Given): boolean {
  const pool = aPool(policy).with(...nodes(...'abcdefghij'))
  const { pending = 5, current = 1, changed = 1 } = waves
  const target = { fingerprint: 'new' }
  const state = {
    pool,
    rollout: { target, stable: goesBack ? target : { fingerprint: 'older' } },
    counts: { waves: { pending, current, changed: { current: changed } } },
    waves: pool.policy.waves,
    members: pool.nodes.map((node, index) => aMember(node, { wave: index === 0 ? 0 : 1 })),
  } as unknown as PoolState
  return isTooMuch({ failures, replaced }, state)
}

const failed = (wave = 1, changes = true): Member => aMember(aNode('x'), { wave, changes })
const lost = (wave: string): LostNode => ({ name: 'y', wave })
const waves = [aWave('canary', 1, { maxFailures: { count: 0 } }), aWave('rest', '100%')]

test.each<readonly [what: string, given: Given]>([
  ['nothing failed', {}],
  ['nothing failed, and nothing is done', { waves: { pending: 0, current: 0, changed: 0 } }],
  ['as many failed as the policy bears', { failures: [failed()], policy: { maxFailures: 1 } }],
  ['as many failed or were replaced', { failures: [failed()], replaced: [lost('rest')], policy: { maxFailures: 2 } }],
  [
    'as many failed as may be unavailable, on the way back',
    { failures: [failed()], policy: { maxUnavailable: 1 }, goesBack: true },
  ],
  ['nodes of another wave failed', { failures: [failed(1)], policy: { maxFailures: 1, waves } }],
  ['machines of another wave were replaced', { replaced: [lost('rest')], policy: { maxFailures: 1, waves } }],
  [
    'nodes that it does not change failed, and others have it',
    { failures: [failed(1, false)], policy: { maxFailures: 1 }, waves: { pending: 0, current: 1, changed: 0 } },
  ],
  [
    'a node that it changes failed, and another one has it',
    { failures: [failed()], policy: { maxFailures: 1 }, waves: { pending: 0, current: 1, changed: 1 } },
  ],
  [
    'none has it yet, and some still work',
    { failures: [failed()], policy: { maxFailures: 1 }, waves: { pending: 1, current: 0, changed: 0 } },
  ],
  [
    'a machine was replaced on the way back, and others have it',
    { replaced: [lost('all')], policy: { maxUnavailable: 1 }, goesBack: true, waves: { pending: 0, current: 1, changed: 0 } },
  ],
])('a rollout goes on when %s', (_, given) => {
  expect(isStopped(given)).toBe(false)
})

test.each<readonly [what: string, given: Given]>([
  ['one failed', { failures: [failed()] }],
  ['one more failed than the policy bears', { failures: [failed(), failed()], policy: { maxFailures: 1 } }],
  ['one more failed or was replaced', { failures: [failed()], replaced: [lost('rest')], policy: { maxFailures: 1 } }],
  [
    'one more failed than may be unavailable, on the way back',
    { failures: [failed(), failed()], policy: { maxUnavailable: 1 }, goesBack: true },
  ],
  ['as many failed as may be unavailable, on the way forward', { failures: [failed()], policy: { maxUnavailable: 1 } }],
  ['a node of its wave failed', { failures: [failed(0)], policy: { maxFailures: 3, waves } }],
  ['a machine of its wave was replaced', { replaced: [lost('canary')], policy: { maxFailures: 3, waves } }],
  [
    'one failed, and nobody has it',
    { failures: [failed()], policy: { maxFailures: 1 }, waves: { pending: 0, current: 0, changed: 0 } },
  ],
  [
    'a node that it changes failed, and only nodes that it does not change have it',
    { failures: [failed()], policy: { maxFailures: 1 }, waves: { pending: 0, current: 1, changed: 0 } },
  ],
  [
    'a machine was replaced, and only nodes that it does not change have it',
    { replaced: [lost('rest')], policy: { maxFailures: 1 }, waves: { pending: 0, current: 1, changed: 0 } },
  ],
])('a rollout stops when %s', (_, given) => {
  expect(isStopped(given)).toBe(true)
})
