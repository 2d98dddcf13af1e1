import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { assignments } from '../builders/decisions.ts'
import { hour, noon, stamp } from '../builders/instants.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

const waves = [{ name: 'canary', nodes: { count: 1 }, soak: 0, manual: false }]

/** Twenty-one commits went on with the rollout of `mid`, and its status keeps the last twenty. */
function afterManyCommits(): ReturnType<typeof decide> {
  const commits = Array.from({ length: 20 }, (_, index) => `equal-${index + 2}`)
  const history = [
    { ...aRollout('mid', { startedAt: noon - 10 * hour }), commits },
    aRollout('old', { result: 'Completed', startedAt: noon - 20 * hour }),
  ]
  const unchanged = aNode('same').on('mid', { at: noon - 9 * hour, revision: 'equal-1' })
  const others = ['a', 'b', 'c'].map((name) => aNode(name).on('old', { at: noon - 19 * hour }))
  return decide(aPool({ stable: 'old', history, waves, wants: { same: { digest: 'mid' } } }).with(unchanged, ...others), noon)
}

test('a rollout that begins is not older for a node that has its content from a commit which the last rollout no longer names', () => {
  const decision = afterManyCommits()

  expect(decision.status.history[0]).toMatchObject({ revision: 'new', startedAt: stamp(noon) })
  expect(assignments(decision)).toEqual(['b → new'])
})

/** The pool had the commit longer ago than its ten last rollouts, and passed the node by since. */
function afterTenOthers(passedBy: NodeDraft): ReturnType<typeof decide> {
  const history = Array.from({ length: 10 }, (_, index) =>
    aRollout(`commit-${index}`, { result: 'Completed', startedAt: noon - (index + 1) * 24 * hour }),
  )
  const others = ['a', 'b', 'c'].map((name) => aNode(name).on('commit-0', { at: noon - 23 * hour }))
  return decide(aPool({ stable: 'commit-0', history, waves }).with(passedBy, ...others), noon)
}

test('a commit that the history no longer has begins with a canary where a node has kept it', () => {
  const decision = afterTenOthers(aNode('late').on('new', { at: noon - 800 * hour }))

  expect(decision.status.history[0]).toMatchObject({ revision: 'new', startedAt: stamp(noon) })
  expect(assignments(decision)).toEqual(['b → new'])
})

test('a commit that the history no longer has is not rejected for a node on which it failed then', () => {
  const decision = afterTenOthers(aNode('late').rolledBackFrom('new', { at: noon - 800 * hour, to: 'commit-0' }))

  expect(decision.status.history[0]).toMatchObject({ revision: 'new', startedAt: stamp(noon), result: 'Running' })
  expect(decision.status.rejected).toEqual([])
})
