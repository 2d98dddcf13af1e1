import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { assignments } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'
import { apps, since } from './some-gates.ts'

const joining = aNode('d').createdAtInstant(noon - 5 * minute)
const broken = aNode('d')
  .assignedTo('bad', { at: noon - 2 * hour })
  .reporting('Applying', { since: noon - 2 * hour })

const paused: PoolOptions = { controls: { paused: 'a test' } }
const closed: PoolOptions = { windows: [{ action: 'allow', schedule: '0 1 * * *', duration: hour, timeZone: 'UTC' }] }

test.each([
  ['a node that joins', 'during a pause', joining, paused],
  ['a broken node outside of the open wave', 'during a pause', broken, paused],
  ['a broken node outside of the open wave', 'while no window is open', broken, closed],
])('%s gets the stable content for which it was drained when a workloads gate cannot record %s', (_, __, node, options) => {
  const history = [
    aRollout('new', { startedAt: since }),
    aRollout('bad', { result: 'Superseded', startedAt: noon - 3 * hour }),
    aRollout('older', { result: 'Completed', startedAt: noon - 30 * hour }),
  ]
  const waves = [aWave('canary', { tier: 'test' }), aWave('rest', '100%')]
  const kept: PoolOptions = { stable: 'older', history, waves, gates: [apps], drain: 'Always', pods: { d: [] } }
  const canary = aNode('a').on('older').labelled({ tier: 'test' })
  const others = nodes('b', 'c').map((other) => other.on('older'))
  const pool = aPool({ ...kept, ...options }).with(canary, ...others, node.drainedFor('older'))

  expect(assignments(decide(pool, noon))).toEqual(['d → older'])
})
