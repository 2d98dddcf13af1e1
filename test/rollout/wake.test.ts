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
