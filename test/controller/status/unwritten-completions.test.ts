import { expect, test } from 'vitest'
import { awaitsCompletion } from '../../../src/controller/status/unwritten-completions.ts'
import type { HistoryEntry, NodePoolStatus } from '../../../src/protocol/node-pool.ts'

type Status = Pick<NodePoolStatus, 'target' | 'stable' | 'history'>

const ref = (fingerprint: string) => ({ revision: `commit ${fingerprint}`, fingerprint })
const at = (target: string, stable: string, history: readonly HistoryEntry[] = []): Status => ({
  target: ref(target),
  stable: ref(stable),
  history,
})
const completed = (fingerprint: string): HistoryEntry => ({
  ...ref(fingerprint),
  startedAt: '2026-11-21T07:00:00.000Z',
  endedAt: '2026-11-21T07:10:00.000Z',
  result: 'Completed',
})

/** `last` depends on `middle`, and that on `first`. */
const pools = new Map([
  ['first', { policy: {} }],
  ['middle', { policy: { dependsOn: ['first'] } }],
  ['last', { policy: { dependsOn: ['middle'] } }],
])
const done = at('new', 'new')
const before = at('old', 'old')

test.each<readonly [what: string, written: Record<string, Status>, decided: Record<string, Status>, awaits: boolean]>([
  [
    'every completion is written',
    { first: done, middle: done, last: before },
    { first: done, middle: done, last: at('new', 'old') },
    false,
  ],
  [
    'that of its dependency is not',
    { first: done, middle: at('new', 'old'), last: before },
    { first: done, middle: done, last: at('new', 'old') },
    true,
  ],
  [
    'that of the dependency behind it is not',
    { first: at('new', 'old'), middle: done, last: before },
    { first: done, middle: done, last: at('new', 'old') },
    true,
  ],
  ['its dependency has no status', { first: done, last: before }, { first: done, middle: done, last: at('new', 'old') }, true],
  [
    'it has begun before',
    { first: done, middle: at('new', 'old'), last: at('new', 'old') },
    { first: done, middle: done, last: at('new', 'old') },
    false,
  ],
  [
    'it goes back to what it has completed',
    { first: done, middle: before, last: at('bad', 'old') },
    { first: done, middle: done, last: at('old', 'old', [completed('old')]) },
    false,
  ],
  [
    'it stays with its target',
    { first: done, middle: at('new', 'old'), last: before },
    { first: done, middle: done, last: before },
    false,
  ],
])('a pool awaits a completion, or not, when %s', (_, written, decided, awaits) => {
  const decisions = new Map(Object.entries(decided).map(([name, status]) => [name, { status }]))
  const stands = new Map(Object.entries(written).map(([name, status]) => [name, { status }]))
  expect(awaitsCompletion('last', { pools, decisions, written: stands })).toBe(awaits)
})

test('a pool without dependencies awaits no completion', () => {
  const decisions = new Map([['first', { status: at('new', 'old') }]])
  expect(awaitsCompletion('first', { pools, decisions, written: new Map() })).toBe(false)
})
