import { expect, test } from 'vitest'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import { type Memory, NO_MEMORY } from '../../../src/rollout/model/snapshot.ts'
import { commitBlocker } from '../../../src/rollout/target/commit-blocker.ts'
import { hour, minute, noon, stamp } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'
import { aRef, aRollout } from '../builders/revisions.ts'

/** Why a pool of a fleet that has stopped may not begin with `new`. */
function reasonFor(memory: Partial<Memory>, node: NodeView, now = noon): string | undefined {
  const pool = aPool({ fleet: { stopped: { why: '3 nodes failed', isConfirmed: true } } }).with(node)
  return commitBlocker({ ...pool, memory: { ...NO_MEMORY, ...memory } }, now)?.reason
}

const onTheWay = aNode('a').assignedTo('new', { pool: 'workers' })

/** A clock that was an hour ahead stamped the rollout of the commit, and was put back. */
const stampedAhead: Partial<Memory> = {
  target: aRef('older'),
  history: [
    aRollout('older', { startedAt: noon - minute }),
    { ...aRollout('new', { result: 'Superseded', startedAt: noon + hour }), endedAt: stamp(noon + hour) },
  ],
}

const ahead = aNode('a').assignedTo('new', { pool: 'workers', at: noon + hour + 5_000 })

const before = aNode('a').assignedTo('new', { pool: 'workers', at: noon - hour })

const leftForOlder: Partial<Memory> = {
  target: aRef('older'),
  history: [aRollout('older', { startedAt: noon - minute }), aRollout('new', { result: 'Superseded' })],
}

test.each<readonly [what: string, memory: Partial<Memory>, node: NodeView]>([
  ['it has another target', { target: aRef('older') }, aNode('a')],
  ['it remembers rollouts and no target', { history: [aRollout('older')] }, aNode('a')],
  ['it has another target, and a node got the commit from a rollout that it remembers', { ...leftForOlder }, before],
  ['it has left the commit, which a clock that was ahead had stamped', stampedAhead, ahead],
  ['it remembers nothing, and no node has the commit', {}, aNode('a')],
  ['it remembers nothing, and another pool assigned the commit', {}, aNode('a').assignedTo('new', { pool: 'gpu' })],
  ['it remembers nothing, and a node has an older commit', {}, aNode('a').assignedTo('older', { pool: 'workers' })],
])('a pool may not begin with a commit when %s', (_, memory, node) => {
  expect(reasonFor(memory, node)).toBe('FleetStopped')
  expect(reasonFor(memory, node, noon + 2 * hour)).toBe('FleetStopped')
})

test.each<readonly [what: string, memory: Partial<Memory>, node: NodeView]>([
  ['the commit is its target', { target: aRef('new') }, aNode('a')],
  ['it remembers nothing, and one of its nodes has the commit', {}, onTheWay],
  ['it remembers another target and no rollouts, and one of its nodes has the commit', { target: aRef('older') }, onTheWay],
  ['it remembers older rollouts and no target, and one of its nodes has the commit', { history: [aRollout('older')] }, onTheWay],
  ['the commit failed in it', { target: aRef('older'), rejected: [aRef('new')] }, aNode('a')],
  [
    'an operator rolled it back',
    { target: aRef('older'), rollback: { to: aRef('older'), from: aRef('new'), at: '' } },
    aNode('a'),
  ],
])('nothing keeps a pool from beginning with a commit when %s', (_, memory, node) => {
  expect(reasonFor(memory, node)).toBeUndefined()
})
