import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { assignments, remembering, selected, verdict } from '../builders/decisions.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

const halted = {
  head: 'bad-commit',
  rejected: ['bad-commit'],
  onFailure: 'Halt',
  history: [aRollout('bad-commit', { result: 'Halted' })],
} as const

test('a retry assigns the node that failed again, and the pool goes on', () => {
  const pool = aPool({ ...halted, controls: { retry: 'bad-commit' } }).with(
    aNode('a').rolledBackFrom('bad-commit'),
    aNode('b').on('older'),
  )

  const decision = decide(pool, noon)

  expect(assignments(decision)[0]).toBe('a → bad-commit')
  expect(decision.status.rejected).toEqual([])
  expect(decision.status.observedControls).toEqual({ retry: 'bad-commit' })
  expect(decision.status.history[0]).toMatchObject({ revision: 'bad-commit', result: 'Running' })
})

test('a retry may name the commit by its beginning', () => {
  const pool = aPool({ ...halted, controls: { retry: 'bad-com' } }).with(aNode('a').on('older'))

  expect(selected(decide(pool, noon))).toEqual(['a'])
})

test('a retry of a commit that renders the same as the rejected one lets that content try again', () => {
  const pool = aPool({ ...halted, commit: 'c0ffee1', controls: { retry: 'c0ffee1' } }).with(aNode('a').on('older'))

  expect(selected(decide(pool, noon))).toEqual(['a'])
})

test('a retry counts once: what fails again stays rejected, and the annotation is cleared', () => {
  const pool = aPool({ ...halted, controls: { retry: 'bad-commit' } }).with(aNode('a').rolledBackFrom('bad-commit'))
  const failedAgain = [aNode('a').rolledBackFrom('bad-commit', { at: noon })]

  const decision = decide({ ...remembering(pool, decide(pool, noon)), nodes: failedAgain }, noon + minute)

  expect(decision.actions).toEqual([{ kind: 'clearControl', control: 'retry', value: 'bad-commit' }])
  expect(verdict(decision).Stalled).toBe('True Halted')
})

test('a retry is waited for while the agent still shows the old failure', () => {
  const pool = aPool({ ...halted, controls: { retry: 'bad-commit' } }).with(aNode('a').rolledBackFrom('bad-commit'))
  const { status } = aNode('a').rolledBackFrom('bad-commit')
  const assigned = { ...aNode('a').assignedTo('bad-commit', { at: noon }), ...(status && { status }) }

  const decision = decide({ ...remembering(pool, decide(pool, noon)), nodes: [assigned] }, noon + 1000)

  expect(decision.status.nodes.byPhase).toEqual({ Assigned: 1 })
  expect(decision.status.rejected).toEqual([])
})

test('a retry of a commit that nobody rejected changes nothing', () => {
  const pool = aPool({ ...halted, controls: { retry: 'c0ffee1' } }).with(aNode('a').on('older'))

  expect(decide(pool, noon).actions).toEqual([])
})
