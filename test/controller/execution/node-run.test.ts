import { expect, test } from 'vitest'
import { runBefore } from '../../../src/controller/execution/node-run.ts'
import { noon } from '../../rollout/builders/instants.ts'
import { aNode } from '../../rollout/builders/nodes.ts'

test('what a node ran is told with the commit, the version, and when it began, was done and ended', () => {
  const node = aNode('a')
    .assignedTo('older', { at: noon - 60_000 })
    .reporting('Applied', { since: noon - 30_000, kubelet: '1.36.3' })

  expect(runBefore(node, { digest: 'new', at: noon })).toEqual({
    revision: 'older',
    version: '1.36.3',
    from: '2026-11-21T11:59:00.000Z',
    done: '2026-11-21T11:59:30.000Z',
    until: '2026-11-21T12:00:00.000Z',
    phase: 'Applied',
  })
})

test('a failure is told with its reason', () => {
  expect(runBefore(aNode('a').rolledBackFrom('bad'), { digest: 'older', at: noon })).toMatchObject({
    revision: 'bad',
    phase: 'RolledBack',
    reason: 'HealthCheckFailed',
  })
})

test('a greater grant for what is under way is no new run, and the same again after a failure is', () => {
  const blocked = aNode('a').assignedTo('new').reporting('Blocked', { needs: 'drain' })

  expect(runBefore(blocked, { digest: 'new', at: noon })).toBeUndefined()
  expect(runBefore(aNode('a').rolledBackFrom('new'), { digest: 'new', at: noon })).toMatchObject({ revision: 'new' })
})

test('a node that never had anything has no run to tell', () => {
  expect(runBefore(aNode('a'), { digest: 'new', at: noon })).toBeUndefined()
})
