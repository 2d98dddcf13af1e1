import { expect, test } from 'vitest'
import type { AskGate } from '../../../src/rollout/model/decision.ts'
import { type Memory, NO_MEMORY } from '../../../src/rollout/model/snapshot.ts'
import { stamp } from '../../rollout/builders/instants.ts'
import { aRollout } from '../../rollout/builders/revisions.ts'
import type { Observed } from './controller.ts'
import { GateOracle } from './gate-oracle.ts'

const observed: Observed = {
  fleet: { pools: [], policy: {}, controls: {} },
  decisions: new Map(),
  at: 0,
  isNews: true,
  held: new Set(),
}

function statusOf(revision: string, startedAt: number): Memory {
  return { ...NO_MEMORY, history: [aRollout(revision, { startedAt })] }
}

/** A gate of this rollout is asked after the wave canary. */
function ask({ history: [run] }: Memory, oracle: GateOracle): void {
  const question: AskGate = {
    kind: 'askGate',
    gate: { name: 'slo', timeout: 1, interval: 1, check: { kind: 'nodeConditions', require: [], forbid: [] } },
    question: 'after',
    wave: 'canary',
    revision: run?.revision ?? '',
    rollout: run?.startedAt ?? '',
    check: '',
    nodes: [],
    before: [],
  }
  oracle.answer('workers', question, observed)
}

const [first, again, next] = [statusOf('new', 1_000), statusOf('new', 2_000), statusOf('next', 3_000)]

test('a gate that held in a rollout counts no more in the next one, and again when a tool restores a status of its rollout', () => {
  const oracle = new GateOracle()

  ask(first, oracle)
  expect(oracle.held.has('workers new canary slo')).toBe(true)
  oracle.rolloutWritten('workers', first, next)
  expect(oracle.held.has('workers new canary slo')).toBe(false)
  oracle.statusReplaced('workers', first)
  expect(oracle.held.has('workers new canary slo')).toBe(true)
})

test('a gate that held in a rollout has held when the controller finds that rollout again by its nodes', () => {
  const oracle = new GateOracle()

  ask(first, oracle)
  oracle.rolloutWritten('workers', first, next)
  oracle.rolloutWritten('workers', next, first)
  expect(oracle.held.has('workers new canary slo')).toBe(true)
})

test('a gate that held in a rollout does not hold in a retry, which begins later', () => {
  const oracle = new GateOracle()

  ask(first, oracle)
  oracle.rolloutWritten('workers', { history: [aRollout('new', { startedAt: 1_000, result: 'Halted' })] }, again)
  expect(oracle.held.has('workers new canary slo')).toBe(false)
})

test('a gate that held in a rollout counts in no other one whose status a tool restores', () => {
  const oracle = new GateOracle()

  ask(first, oracle)
  oracle.rolloutWritten('workers', first, next)
  oracle.statusReplaced('workers', again)
  oracle.statusReplaced('gpu', first)
  expect(oracle.held).toEqual(new Set([`workers new canary slo ${stamp(1_000)}`]))
})

test('a gate that did not pass has not held when a tool restores a status of its rollout', () => {
  const oracle = new GateOracle()
  oracle.says = 'NotPassed'

  ask(first, oracle)
  oracle.statusReplaced('workers', first)
  expect(oracle.held).toEqual(new Set())
})
