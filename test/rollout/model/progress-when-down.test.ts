import { expect, test } from 'vitest'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { phase, progress } from './some-progress.ts'

test('a node that goes down before its agent takes the assignment fails for being down, when the time for the work is over', () => {
  const down = aNode('a')
    .assignedTo('new', { at: noon - 15 * minute })
    .notReady(noon - 10 * minute)

  expect(phase(down, { now: noon - minute, agentTimeout: minute })).toBe('Assigned')
  expect(progress(down).failure).toEqual({
    reason: 'NotReady',
    message: 'node is not Ready since 2026-11-21T11:50:00.000Z, and the agent has not started the assignment',
  })
})

test('a node that asks for a greater grant waits without a deadline, unless it went bad or is not Ready for as long as its work may take', () => {
  const late = aNode('a').assignedTo('new', { at: noon - 15 * minute })
  const asking = late.reporting('Blocked', { needs: 'reboot' })
  const error = { reason: 'TrialFailed', message: 'out of luck' }

  expect(progress(asking)).toEqual({ phase: 'Waiting', pending: true })
  expect(progress(late.reporting('Blocked', { needs: 'reboot', error })).failure?.message).toBe(
    'the agent is still at "Blocked", needs "reboot"; the allowed disruption is "restart": out of luck',
  )
  expect(progress(asking.notReady(noon - minute))).toEqual({ phase: 'Unreachable', pending: true, until: noon + 14 * minute })
  expect(progress(asking.notReady(noon - 15 * minute)).failure?.reason).toBe('NotReady')
})

test('a node that asks for a greater grant does not fail for what its Node shows before kubelets have repeated that after a restore', () => {
  const asking = aNode('a')
    .assignedTo('new', { at: noon - hour })
    .reporting('Blocked', { needs: 'reboot' })
    .notReady(noon - 30 * minute)

  expect(progress(asking, { listedAt: noon })).toEqual({ phase: 'Unreachable', pending: true, until: noon + 8 * minute })
  expect(progress(asking, { listedAt: noon - 8 * minute }).failure?.reason).toBe('NotReady')
})

test('a node that was down before it was assigned is Unreachable and holds up no wave', () => {
  const down = aNode('a')
    .notReady(noon - 30 * minute)
    .assignedTo('new', { at: noon - 20 * minute })

  expect(progress(down)).toEqual({ phase: 'Unreachable', pending: false })
})

test('a node that went down within the second of its assignment counts as ours: Kubernetes stamps whole seconds', () => {
  const down = aNode('a')
    .notReady(noon - 20 * minute)
    .assignedTo('new', { at: noon - 20 * minute + 700 })

  expect(phase(down)).toBe('Failed')
})

test('a node that went down after it was assigned fails', () => {
  const down = aNode('a')
    .assignedTo('new', { at: noon - 20 * minute })
    .notReady(noon - 19 * minute)

  expect(phase(down)).toBe('Failed')
})

test('a node whose clock is a day ahead fails when its agent put the change back and it stays not Ready', () => {
  const undone = aNode('a')
    .rolledBackFrom('new', { at: noon })
    .notReady(noon + 24 * hour)

  expect(phase(undone, { now: noon + 30 * minute - 1 })).toBe('Unreachable')
  expect(phase(undone, { now: noon + 30 * minute })).toBe('Failed')
})

test('a node that is not Ready fails by the word of its agent that it was put back only when that lasts', () => {
  const forged = aNode('a')
    .rolledBackFrom('new', { at: noon - 5 * minute })
    .notReady(noon - minute)

  expect(progress(forged)).toEqual({ phase: 'Unreachable', pending: true, until: noon + 14 * minute })
  expect(progress(forged, { now: noon + 14 * minute }).failure?.reason).toBe('NotReady')
  expect(phase(forged.readyAgain(noon - 1000))).toBe('Failed')
})

test('a node that goes down a day after it was changed fails its commit only if its agent has not said that the trial is passed', () => {
  const changed = aNode('a').on('new', { at: noon - 24 * hour })
  const down = (lastKnownGood: string) =>
    progress(changed.reporting('Applied', { lastKnownGood }).notReady(noon - 20 * minute), {
      soak: 10 * minute,
      rolloutStart: noon - 48 * hour,
    })

  expect(down('new')).toEqual({ phase: 'Unreachable', pending: false })
  expect(down('older')).toEqual({
    phase: 'Failed',
    pending: false,
    failure: { reason: 'NotReady', message: 'node is not Ready since 2026-11-21T11:40:00.000Z' },
  })
})
