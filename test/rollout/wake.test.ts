import { expect, test } from 'vitest'
import { decide } from '../../src/rollout/decide.ts'
import { aNode, aPool, aRollout, aWave, hour, minute, noon } from './builders.ts'

test('pool wakes when superseded work is overdue, also when a controller whose clock is ahead assigned it', () => {
  const pool = aPool({
    head: 'new',
    stable: 'old',
    maxUnavailable: 1,
    applyTimeout: 10 * minute,
    waves: [aWave('canary', 1)],
    history: [
      aRollout('new', { startedAt: noon - 2 * minute }),
      aRollout('bad', { result: 'Superseded', startedAt: noon - hour }),
    ],
  }).with(
    aNode('n0')
      .on('old')
      .assignedTo('bad', { at: noon + 90 * minute })
      .reporting('Fetching', { active: 'old' }),
    aNode('n1').on('old'),
  )
  expect(decide(pool, noon)).toMatchObject({ actions: [], wakeAt: noon + 8 * minute })
})

test('pool wakes when a node that joins is young no more: from then on it waits for its turn', () => {
  const young = aNode('y').createdAtInstant(noon - 2 * minute)
  const options = { head: 'older', stable: 'older', since: noon - hour, applyTimeout: 10 * minute, controls: { paused: '' } }
  const pool = aPool(options).with(aNode('n0').on('older'), young)
  expect(decide(pool, noon)).toMatchObject({ status: { nodes: { byPhase: { Joining: 1 } } }, wakeAt: noon + 8 * minute })
  expect(decide(pool, noon + 8 * minute).status.nodes.byPhase).toEqual({ Current: 1, Waiting: 1 })
})
