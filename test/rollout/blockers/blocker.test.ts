import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { condition, selected, verdict } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'

test('a paused pool takes no node, and tells why', () => {
  const decision = decide(aPool({ stable: 'older', controls: { paused: 'storm' } }).with(...nodes('a', 'b')), noon)

  expect(selected(decision)).toEqual([])
  expect(condition(decision, 'Stalled')).toMatchObject({
    reason: 'Paused',
    message: 'paused: storm; nodes that have started finish; until: nodewave resume workers',
  })
})

test('a paused pool that has nothing to do is Ready', () => {
  const pool = aPool({ head: 'older', stable: 'older', controls: { paused: '' } }).with(aNode('a').on('older'))

  expect(verdict(decide(pool, noon))).toEqual({
    Ready: 'True Completed',
    Reconciling: 'False Completed',
    Stalled: 'False Completed',
  })
})

test.each([
  [{ controls: { paused: 'storm' } }, '1 of 1 nodes are at older; paused: storm; until: nodewave resume workers'],
  [{ fleet: { paused: '' } }, '1 of 1 nodes are at older; the whole fleet is paused; until: nodewave resume --all'],
])('a pool that has nothing to do says that it is paused, and is Ready, when %j', (more, message) => {
  const pool = aPool({ head: 'older', stable: 'older', ...more }).with(aNode('a').on('older'))

  expect(condition(decide(pool, noon), 'Ready')).toMatchObject({ status: 'True', reason: 'Completed', message })
})

const overtaken = aNode('a')
  .assignedTo('older', { at: noon - hour, counter: 5 })
  .reporting('RolledBack', { counter: 7, error: { reason: 'AssignmentReplayed', message: 'older' } })

test('a pool of whose nodes one has a newer assignment than the cluster remembers changes none before the repository has been read', () => {
  const unread = { head: 'new', stable: 'older', repositoryUnread: true } as const
  const decision = decide(aPool(unread).with(overtaken, aNode('b').on('older')), noon)

  expect(selected(decision)).toEqual([])
  expect(condition(decision, 'Ready')).toMatchObject({
    reason: 'RepositoryUnread',
    message:
      '0 of 2 nodes are at new; "a": the agent accepted a newer assignment than the cluster remembers; ' +
      'which commit is the newest is not known before a valid one has been read from the repository',
  })
  expect(selected(decide(aPool(unread).with(aNode('b').on('older')), noon))).toEqual(['b'])
  expect(selected(decide(aPool({ head: 'new', stable: 'older' }).with(overtaken, aNode('b').on('older')), noon))).not.toEqual([])
})

test('a pool of a paused fleet takes no node, and tells why', () => {
  const decision = decide(aPool({ stable: 'older', fleet: { paused: '' } }).with(...nodes('a', 'b')), noon)

  expect(selected(decision)).toEqual([])
  expect(condition(decision, 'Stalled')).toMatchObject({
    reason: 'Paused',
    message: 'the whole fleet is paused; nodes that have started finish; until: nodewave resume --all',
  })
})

test('a paused pool of a stopped fleet uncordons what it drains for the commit that is stopped, and assigns it nothing', () => {
  const drained = aNode('a').on('older').drainedFor('new')
  const options = { stable: 'older', since: noon - 9 * minute, disruption: 'drain', controls: { paused: 'storm' } } as const
  const pods = new Map([['a', { kind: 'known', pods: [] } as const]])
  const look = (stopped: object) => decide({ ...aPool({ ...options, fleet: stopped }).with(drained), pods }, noon)

  expect(look({}).actions.map(({ kind }) => kind)).toEqual(['assign'])
  const decision = look({ stopped: { why: '3 failures of nodes in the fleet at new', isConfirmed: true } })
  expect(decision.actions.map(({ kind }) => kind)).toEqual(['uncordon'])
  expect(condition(decision, 'Stalled').reason).toBe('Paused')
})

test('a paused pool gives nodes that join nothing, though a closed window would', () => {
  const windows = [{ action: 'deny', schedule: '0 11 * * *', duration: 2 * hour, timeZone: 'UTC' }] as const
  const pool = aPool({ stable: 'older', windows, controls: { paused: '' } }).with(aNode('a'))

  expect(selected(decide(pool, noon))).toEqual([])
})
