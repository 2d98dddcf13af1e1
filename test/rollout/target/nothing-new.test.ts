import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { NO_MEMORY } from '../../../src/rollout/model/snapshot.ts'
import { currentRollout } from '../../../src/rollout/target/current-rollout.ts'
import { remembering } from '../builders/decisions.ts'
import { hour, minute, noon, stamp } from '../builders/instants.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'
import { aRef, aRollout } from '../builders/revisions.ts'

const canary = [aWave('canary', 1, { soak: 10 * minute })]

test.each([
  ['amid a rollout', aPool({ stable: 'old', waves: canary }).with(...nodes('a', 'b').map((node) => node.on('old')))],
  ['after it', aPool({ head: 'old', stable: 'old' }).with(aNode('a').on('old'))],
])('a pool that has nothing new to remember remembers the same object %s', (_, pool) => {
  const next = remembering(pool, decide(pool, noon))

  expect(currentRollout(next, noon + minute).memory).toBe(next.memory)
})

test('a pool whose newest commit has another name and the same content remembers that name', () => {
  const pool = aPool({ head: 'old', stable: 'old' }).with(aNode('a').on('old'))
  const next = remembering(pool, decide(pool, noon))
  const renamed = { ...next, head: { ...next.head, revision: 'readme' } }

  expect(currentRollout(renamed, noon + minute).memory).toMatchObject({
    target: { revision: 'readme', fingerprint: 'of old' },
    stable: { revision: 'readme', fingerprint: 'of old' },
  })
})

test.each([
  ['no status', {}, noon - hour],
  ['a target without a history', { target: aRef('old') }, noon - hour],
  ['a history of other content', { history: [aRollout('old', { result: 'Completed' })] }, noon - hour],
  ['a history of this content', { history: [aRollout('new', { result: 'Superseded' })] }, noon],
])(
  'a rollout began with the first node that got its content unless the pool remembers an earlier one of it: %s',
  (_, memory, began) => {
    const pool = aPool().with(aNode('a').on('new', { at: noon - hour }))
    const [top] = currentRollout({ ...pool, memory: { ...NO_MEMORY, ...memory } }, noon).memory.history

    expect(top?.startedAt).toBe(stamp(began))
  },
)
