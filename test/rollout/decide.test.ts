import { expect, test } from 'vitest'
import { decide } from '../../src/rollout/decide.ts'
import { assignments, phases, remembering, selected, verdict } from './builders/decisions.ts'
import { minute, noon } from './builders/instants.ts'
import { aNode, aYoungNode } from './builders/nodes.ts'
import { aWave } from './builders/policies.ts'
import { aPool } from './builders/pools.ts'
import { aRevision } from './builders/revisions.ts'

test('decide assigns nodes up to the budget when a commit arrives', () => {
  const pool = aPool({ head: 'new', stable: 'older', maxUnavailable: 2 }).with(
    aNode('a').on('older'),
    aNode('b').on('older'),
    aNode('c').on('older'),
  )

  const decision = decide(pool, noon)

  expect(selected(decision)).toHaveLength(2)
  expect(decision.actions[0]).toMatchObject({ kind: 'assign', revision: 'new', digest: 'new', grant: 'restart', at: noon })
  expect(decision.status.wave).toEqual({ index: 1, count: 1, name: 'rest', opened: ['rest'] })
  expect(verdict(decision)).toEqual({ Ready: 'False RollingOut', Reconciling: 'True RollingOut', Stalled: 'False RollingOut' })
})

test('a revert takes the broken canary first and spends no budget on it', () => {
  const pool = aPool({ head: 'good', stable: 'older', maxUnavailable: 1 }).with(
    aNode('a').rolledBackFrom('bad').notReady(),
    aNode('b').on('older'),
    aNode('c').on('older'),
  )

  expect(selected(decide(pool, noon))).toEqual(['a'])
})

test('decide writes nothing to nodes when only the commit differs', () => {
  const pool = aPool({ head: 'same', commit: 'c0ffee1', stable: 'same' }).with(aNode('a').on('same'), aNode('b').on('same'))

  const decision = decide(pool, noon)

  expect(decision.actions).toEqual([])
  expect(decision.status.target?.revision).toBe('c0ffee1')
  expect(decision.status.stable?.revision).toBe('c0ffee1')
  expect(verdict(decision).Ready).toBe('True Completed')
})

test('decide completes a run when every node is current', () => {
  const pool = aPool({ head: 'new', stable: 'older', since: noon - 10 * minute }).with(
    aNode('a').on('new', { at: noon - 5 * minute }),
    aNode('b').on('new', { at: noon - 4 * minute }),
  )

  const decision = decide(pool, noon)

  expect(decision.status.stable?.revision).toBe('new')
  expect(decision.status.wave).toBeUndefined()
  expect(decision.status.history.map(({ revision, result }) => `${revision} ${result}`)).toEqual([
    'new Completed',
    'older Completed',
  ])
  expect(phases(decision)).toEqual({ Current: 2 })
  expect(verdict(decision)).toEqual({ Ready: 'True Completed', Reconciling: 'False Completed', Stalled: 'False Completed' })
})

test('decide retargets nodes in flight at once when a newer commit supersedes theirs', () => {
  const pool = aPool({ head: 'newest', stable: 'older', maxUnavailable: 1, history: [] }).with(
    aNode('a')
      .on('older')
      .assignedTo('new', { at: noon - minute }),
    aNode('b').on('older'),
  )

  expect(assignments(decide(pool, noon))).toEqual(['a → newest'])
})

test.each([
  ['of this instant, with a later stamp', noon, noon + 1],
  ['of a moment ahead, with a later stamp', noon + 10, noon + 11],
  ['of a clock that was put back, with the present', noon + 10 * minute, noon],
])('a node is given other content after an assignment %s', (_, last, at) => {
  const pool = aPool({ head: 'newest', stable: 'older', maxUnavailable: 1, history: [] }).with(
    aNode('a').on('older').assignedTo('new', { at: last }),
    aNode('b').on('older'),
  )

  expect(decide(pool, noon).actions).toMatchObject([{ kind: 'assign', node: 'a', digest: 'newest', at }])
})

test('decide gives joining nodes the stable content while another is being rolled out', () => {
  const pool = aPool({ head: 'new', stable: 'older', since: noon - minute, maxUnavailable: 1, waves: [aWave('canary', 1)] }).with(
    aNode('a').assignedTo('new', { at: noon - minute }),
    aYoungNode('fresh'),
  )

  const decision = decide(pool, noon)

  expect(assignments(decision)).toEqual(['fresh → older'])
  expect(phases(decision)).toEqual({ Assigned: 1, Joining: 1 })
})

test('decide gives a joining node the newest commit in its turn where the stable content cannot be rendered for it', () => {
  const pool = aPool({ head: 'new', stable: 'older', since: noon - minute }).with(aYoungNode('fresh'))

  const decision = decide({ ...pool, known: new Map([['older', aRevision('older', [])]]) }, noon)

  expect(assignments(decision)).toEqual(['fresh → new'])
})

test('a completed pool is not Ready in the pass that repairs a node which a superseded commit left down', () => {
  const pool = aPool({ head: 'new', stable: 'older', since: noon - minute, disruption: 'drain' }).with(
    aNode('a').on('new', { at: noon - minute }),
    aNode('b').on('mid').notReady(),
  )

  const decision = decide(pool, noon)

  expect(assignments(decision)).toEqual(['b → new'])
  expect(verdict(decision).Ready).toBe('False RollingOut')
})

test('decide takes no node of a paused pool, and lets those in flight finish', () => {
  const pool = aPool({ head: 'new', stable: 'older', since: noon - minute, controls: { paused: 'freeze' } }).with(
    aNode('a').assignedTo('new', { at: noon - minute }),
    aNode('b').on('older'),
    aYoungNode('fresh'),
  )

  const decision = decide(pool, noon)

  expect(decision.actions).toEqual([])
  expect(phases(decision)).toEqual({ Assigned: 1, Waiting: 1, Joining: 1 })
  expect(verdict(decision).Stalled).toBe('True Paused')
})

test('decide leaves held nodes and nodes assigned by hand alone, and completes without them, but is not Ready while any is assigned by hand', () => {
  const pool = aPool({ head: 'new', stable: 'older', since: noon - minute }).with(
    aNode('a').on('new', { at: noon }),
    aNode('b').on('older').held(),
    aNode('c').byHand(),
  )

  const decision = decide(pool, noon)

  expect(decision.actions).toEqual([])
  expect(phases(decision)).toEqual({ Current: 1, Held: 1, Unmanaged: 1 })
  expect(verdict(decision)).toMatchObject({ Ready: 'False UnmanagedNodes', Stalled: 'True UnmanagedNodes' })
  expect(decision.status.conditions[0]?.message).toBe(
    'assigned by hand: "c"; take a node back with: ' +
      'kubectl --as=$USER --as-group=nodewave:break-glass annotate node c nodewave.io/desired-config-',
  )
  expect(decision.status.history[0]?.result).toBe('Completed')
})

test('decide reports a node that cannot be rendered and goes on with the others', () => {
  const pool = aPool({ head: 'new', stable: 'older', wants: { b: { problem: 'label "rack" is missing' } } }).with(
    aNode('a').on('older'),
    aNode('b').on('older'),
  )

  const decision = decide(pool, noon)

  expect(selected(decision)).toEqual(['a'])
  expect(decision.status.failed).toEqual([{ node: 'b', reason: 'RenderFailed', message: 'label "rack" is missing' }])
  expect(verdict(decision)).toMatchObject({ Ready: 'False RenderFailed', Stalled: 'True RenderFailed' })
})

test('decide stays with its target and says why when the repository is invalid', () => {
  const pool = aPool({ head: 'same', stable: 'same', repositoryProblem: 'pools/a.yaml:3:1 unknown field' }).with(
    aNode('a').on('same'),
  )

  const decision = decide(pool, noon)

  expect(decision.actions).toEqual([])
  expect(decision.status.target?.revision).toBe('same')
  expect(verdict(decision)).toEqual({
    Ready: 'False InvalidRepository',
    Reconciling: 'False InvalidRepository',
    Stalled: 'True InvalidRepository',
  })
})

test('decide gives the same decision again when its status is its memory', () => {
  const pool = aPool({ head: 'new', stable: 'older', waves: [aWave('canary', 1, { soak: minute })], maxUnavailable: 1 }).with(
    aNode('a').on('older'),
    aNode('b').on('older'),
  )
  const first = decide(pool, noon)

  const second = decide(remembering(pool, first), noon + minute)

  expect(second.status).toEqual(first.status)
  expect(selected(second)).toEqual(selected(first))
  expect(second.events).toEqual([])
})

test('decide reports an empty pool as ready and calls nothing proven', () => {
  const decision = decide(aPool({ head: 'new', stable: 'older' }).with(), noon)

  expect(verdict(decision).Ready).toBe('True NoNodes')
  expect(decision.status.stable?.revision).toBe('older')
})
