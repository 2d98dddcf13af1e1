import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

const history = [{ ...aRollout('new', { startedAt: noon - 5 * minute }), commits: ['equal'] }]

test('a rollout that completes keeps the commits of equal content under which it went on', () => {
  const { status } = decide(aPool({ history, commit: 'equal' }).with(aNode('a').on('new', { at: noon - minute })), noon)

  expect(status.history).toMatchObject([{ revision: 'new', result: 'Completed', commits: ['equal'] }])
})

test('a rollout that has completed notes a commit of equal content that comes after it', () => {
  const completed = [{ ...aRollout('new', { result: 'Completed' }), commits: ['equal'] }]
  const pool = aPool({ stable: 'new', history: completed, commit: 'later' }).with(aNode('a').on('new', { at: noon - minute }))

  expect(decide(pool, noon).status.history).toMatchObject([{ revision: 'new', result: 'Completed', commits: ['equal', 'later'] }])
})

test('a rollout that another one supersedes keeps only the commit that began it', () => {
  const { status } = decide(aPool({ head: 'next', history }).with(aNode('a').on('new', { at: noon - minute })), noon)

  expect(status.history[1]).toMatchObject({ revision: 'new', result: 'Superseded' })
  expect(status.history[1]).not.toHaveProperty('commits')
})
