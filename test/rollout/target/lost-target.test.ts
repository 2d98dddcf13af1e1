import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { type Memory, NO_MEMORY } from '../../../src/rollout/model/snapshot.ts'
import { condition } from '../builders/decisions.ts'
import { minute, noon, stamp } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'
import { aRef, aRollout } from '../builders/revisions.ts'

/** Of a pool after a controller has started that finds `head` and `older`, and perhaps that some pool had `lost`. */
function decided(memory: Partial<Memory>, isLost = true) {
  const pool = aPool({ head: 'head', stable: 'older', repositoryUnread: true }).with(aNode('a').on('lost'))
  return decide({ ...pool, ...(isLost && { lostCommit: aRef('lost') }), memory: { ...NO_MEMORY, ...memory } }, noon)
}

test.each<readonly [what: string, memory: Partial<Memory>]>([
  ['has completed it', { target: aRef('lost'), stable: aRef('lost') }],
  ['is on its way to it', { target: aRef('lost'), stable: aRef('head'), history: [aRollout('lost'), aRollout('head')] }],
  ['has it with the content of the newest one that is kept', { target: { ...aRef('head'), revision: 'lost' } }],
  ['has none', {}],
  ['is on its way to it after the newest one that is kept has failed', { target: aRef('lost'), rejected: [aRef('head')] }],
])('a pool remembers what it had, and changes no node, while a commit is lost, when it %s', (_, memory) => {
  const { status, actions } = decided(memory)
  expect([status.target, status.stable, status.history]).toEqual([memory.target, memory.stable, memory.history ?? []])
  expect(actions.filter(({ kind }) => kind === 'assign' || kind === 'cordon')).toEqual([])
  expect(condition(decided(memory), 'Ready')?.reason).toBe('RepositoryUnread')
})

test('a pool does not wait for the repository where the cluster keeps what pools had, or where an operator rolled the pool back', () => {
  expect(condition(decided({ target: aRef('head') }, false), 'Ready')?.reason).not.toBe('RepositoryUnread')
  const rollback = { to: aRef('older'), from: aRef('head'), at: '' }
  expect(condition(decided({ target: aRef('lost'), rollback }), 'Ready')?.reason).not.toBe('RepositoryUnread')
})

test('a promotion of a commit that the pool has not begun with stands while the commit is lost', () => {
  const pool = aPool({ head: 'head', stable: 'older', repositoryUnread: true, controls: { promoted: 'lost' } }).with(aNode('a'))
  const promotion = { value: 'lost', fingerprint: 'lost' }
  const memory = { ...NO_MEMORY, target: aRef('older'), promotion, observedControls: { promoted: 'lost' } }
  const cleared = (isLost: boolean) => {
    const { actions } = decide({ ...pool, memory, ...(isLost && { lostCommit: aRef('lost') }) }, noon)
    return actions.filter(({ kind }) => kind === 'clearControl')
  }

  expect(cleared(true)).toEqual([])
  expect(cleared(false)).toEqual([{ kind: 'clearControl', control: 'promoted', value: 'lost' }])
})

test('a pool remembers which waves it had opened, and how large they were, while a commit is lost', () => {
  const sizes = [{ name: 'early', nodes: 2 }]
  const wave = { index: 2, count: 3, name: 'early', opened: ['canary', 'early'], sizes, soakedAt: stamp(noon - minute) }
  const history = [aRollout('lost'), aRollout('head')]

  expect(decided({ target: aRef('lost'), stable: aRef('head'), history, wave }).status.wave).toEqual(wave)
})
