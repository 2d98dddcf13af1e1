import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { assignments } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, type NodeDraft, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

/** Another commit came two minutes ago, and is withdrawn: the canary of the first try is still at its work. */
function again(canary: NodeDraft): string[] {
  const history = [
    aRollout('next', { result: 'Running', startedAt: noon - 2 * minute }),
    aRollout('new', { result: 'Superseded', startedAt: noon - 12 * minute }),
    aRollout('older', { result: 'Completed', startedAt: noon - 5 * hour }),
  ]
  const waves = [aWave('canary', 1), aWave('rest', '100%')]
  const others = nodes('a', 'b', 'c').map((node) => node.on('older'))
  return assignments(decide(aPool({ stable: 'older', history, waves, maxUnavailable: 3 }).with(canary, ...others), noon))
}

const atWork = aNode('d').assignedTo('new', { at: noon - 3 * minute })

test.each([
  ['is Ready', atWork.reporting('Applying')],
  ['is not Ready for a moment', atWork.reporting('Applying').notReady(noon - minute / 2)],
  ['is not Ready for two minutes', atWork.reporting('Applying').notReady(noon - 2 * minute)],
])(
  'a commit that comes again is given to no other node when its canary is still at work from the first try, and %s',
  (_, canary) => {
    expect(again(canary)).toEqual([])
  },
)

test('a commit that comes again is given to another node when its canary was down before the first try', () => {
  expect(again(atWork.notReady(noon - hour).assignedWhileDown())).toEqual(['b → new'])
})
