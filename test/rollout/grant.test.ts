import { expect, test } from 'vitest'
import { decide } from '../../src/rollout/decide.ts'
import { grantFor } from '../../src/rollout/grant.ts'
import { aNode, aPool, minute, noon, type PoolOptions, taken, verdict } from './builders.ts'

function policy(drain: NonNullable<PoolOptions['drain']>) {
  return aPool({ drain }).with().policy
}

test('grantFor grants what the change needs when no drain comes before it', () => {
  expect(grantFor(policy('Auto'), 'none')).toBe('none')
  expect(grantFor(policy('Auto'), 'restart')).toBe('restart')
  expect(grantFor(policy('Always'), 'none')).toBe('none')
})

test('grantFor grants anything to a pool that never drains', () => {
  expect(grantFor(policy('Never'), 'drain')).toBe('drain')
  expect(grantFor(policy('Never'), 'reboot')).toBe('reboot')
})

test('grantFor grants nothing where a drain would come first', () => {
  expect(grantFor(policy('Auto'), 'drain')).toBeUndefined()
  expect(grantFor(policy('Auto'), 'reboot')).toBeUndefined()
  expect(grantFor(policy('Always'), 'restart')).toBeUndefined()
})

test('a pool touches no node that would have to be drained, and says what to do', () => {
  const decision = decide(
    aPool({ stable: 'older', disruption: 'reboot' }).with(aNode('a').on('older'), aNode('b').on('older')),
    noon,
  )

  expect(taken(decision)).toEqual([])
  expect(verdict(decision)).toEqual({
    Ready: 'False DrainBlocked',
    Reconciling: 'False DrainBlocked',
    Stalled: 'True DrainBlocked',
  })
  expect(decision.status.conditions[2]?.message).toContain('set drain: {mode: Never}')
})

test('nodes that need no drain are changed though others need one', () => {
  const wants = { a: { disruption: 'reboot' as const } }

  expect(taken(decide(aPool({ stable: 'older', wants }).with(aNode('a').on('older'), aNode('b').on('older')), noon))).toEqual([
    'b',
  ])
})

test('an agent that is blocked for want of a greater grant gets it when the policy allows', () => {
  const blocked = aNode('a')
    .assignedTo('new', { at: noon - minute })
    .reporting('Blocked', { needs: 'reboot' })
  const pool = aPool({ stable: 'older', since: noon - minute, drain: 'Never' }).with(blocked)

  expect(decide(pool, noon).actions).toMatchObject([{ kind: 'assign', node: 'a', digest: 'new', grant: 'reboot' }])
})

test('an agent that is blocked stays so when the policy would have the node drained', () => {
  const blocked = aNode('a')
    .assignedTo('new', { at: noon - minute })
    .reporting('Blocked', { needs: 'reboot' })

  const decision = decide(aPool({ stable: 'older', since: noon - minute }).with(blocked), noon)

  expect(decision.actions).toEqual([])
  expect(verdict(decision).Stalled).toBe('True DrainBlocked')
})
