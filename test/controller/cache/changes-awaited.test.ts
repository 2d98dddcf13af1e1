import { expect, test } from 'vitest'
import { areChangesAwaited } from '../../../src/controller/cache/changes-awaited.ts'
import { projectNodePool } from '../../../src/controller/cache/node-pool-view.ts'

function pools(...phases: readonly object[]) {
  return phases.map((byPhase, index) =>
    projectNodePool({
      metadata: { name: `pool-${index}`, resourceVersion: '1' },
      status: { nodes: { total: 3, current: 2, byPhase } },
    }),
  )
}

test.each(['Cordoned', 'Draining', 'Assigned', 'Applying', 'Rebooting', 'Proving', 'Soaking'])(
  'changes are awaited while a node of any pool is %s',
  (phase) => {
    expect(areChangesAwaited(pools({ Current: 3 }, { Current: 2, [phase]: 1 }))).toBe(true)
  },
)

test('no changes are awaited while all nodes are current, wait or are held, nor before there is a status', () => {
  expect(areChangesAwaited(pools({ Current: 2, Waiting: 1, Assigned: 0 }, { Held: 3, Failed: 1 }))).toBe(false)
  expect(areChangesAwaited([projectNodePool({ metadata: { name: 'new' } })])).toBe(false)
})
