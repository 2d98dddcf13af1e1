import { expect, test } from 'vitest'
import type { NodePoolStatus } from '../../../src/protocol/node-pool.ts'
import { decide } from '../../../src/rollout/decide.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { boundedStatus } from '../../../src/rollout/status/bounded-status.ts'
import { condition, remembering } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'
import { aRef, aRollout } from '../builders/revisions.ts'

const long = 'x'.repeat(200_000)
const signed = { author: `${long} <a@b>`, subject: `v 3\u202e${long}` }

/** Many failed, at commits whose authors and agents have a lot to say. */
function talkative(): PoolSnapshot {
  const members = Array.from({ length: 60 }, (_, i) =>
    aNode(`n-${i}`)
      .assignedTo('new', { at: noon - minute, revision: 'c-0' })
      .reporting('RolledBack', { active: 'old', error: { reason: 'HealthCheckFailed', message: long } }),
  )
  const history = Array.from({ length: 10 }, (_, i) => ({
    ...aRollout(`c-${i}`, { result: 'Halted', startedAt: noon - (i + 1) * hour }),
    ...signed,
    message: long,
  }))
  const pool = aPool({ stable: 'old', history, waves: [aWave('canary', 1)], repositoryProblem: long }).with(...members)
  const rejected = history.map(({ revision }) => ({ ...aRef(revision), ...signed }))
  return { ...pool, head: { ...pool.head, ...signed }, memory: { ...pool.memory, rejected } }
}

test('a status stays far below the size of an object, whatever others write into it', () => {
  const decision = decide(talkative(), noon)

  expect(JSON.stringify(decision.status).length).toBeLessThan(250_000)
  expect(decision.status.target?.author).toHaveLength(200)
  expect(decision.status.target?.subject).toMatch(/^v 3\\u\{202e\}x+$/)
  expect(condition(decision, 'Stalled').message).toHaveLength(4_000)
})

test('a status cuts a long subject of a commit that has no author, and a long author of one without a subject', () => {
  const pool = aPool({ stable: 'old' }).with(aNode('a').on('old'))
  const targetWith = (more: object) => decide({ ...pool, head: { ...pool.head, ...more } }, noon).status.target

  expect(targetWith({ subject: long })?.subject).toHaveLength(200)
  expect(targetWith({ author: long })?.author).toHaveLength(200)
})

test('a bounded status given back as memory gives the same status', () => {
  const pool = talkative()
  const first = decide(pool, noon)

  expect(decide(remembering(pool, first), noon).status).toEqual(first.status)
})

test('a status keeps the lists of the memory in which nothing has to be cut', () => {
  const pool = aPool({ head: 'old', stable: 'old', rejected: ['bad'] }).with(aNode('a').on('old'))
  const { status } = decide(pool, noon)
  const next = remembering(pool, { actions: [], events: [], status })

  expect(decide(next, noon + minute).status.history).toBe(status.history)
  expect(decide(next, noon + minute).status.rejected).toBe(status.rejected)
})

const short = decide(aPool({ stable: 'old' }).with(aNode('a').on('old')), noon).status
const ref = aRef('other')
const entry = aRollout('other')
const gate = { name: 'g', wave: 'w', revision: 'r', rollout: '', state: 'Waiting', since: '' } as const
const control = { action: 'Pause', at: '', outcome: 'Done', message: 'short' } as const
const rollback = (to: object, from: object) => ({ at: '', to: { ...ref, ...to }, from: { ...ref, ...from } })

/** Each in a list whose first entry is short. */
const LONG = {
  'subject of the target': { target: { ...ref, subject: long } },
  'author of the target': { target: { ...ref, author: long } },
  'subject of the stable revision': { stable: { ...ref, subject: long } },
  'subject of what is rolled back to': { rollback: rollback({ subject: long }, {}) },
  'subject of what is rolled back from': { rollback: rollback({}, { subject: long }) },
  'message of a gate': {
    gates: [
      { ...gate, message: 'short' },
      { ...gate, message: long },
    ],
  },
  'message of a failed node': {
    failed: [
      { node: 'a', reason: 'X', message: 'short' },
      { node: 'b', reason: 'X', message: long },
    ],
  },
  'subject of a rejected commit': { rejected: [ref, { ...ref, subject: long }] },
  'subject of a rollback target': { rollbackTo: [ref, { ...ref, subject: long }] },
  'message of a control': { controls: [control, { ...control, message: long }] },
  'subject of an entry of the history': { history: [entry, { ...entry, subject: long }] },
  'message of an entry of the history': { history: [entry, { ...entry, message: long }] },
  'message of a condition': {
    conditions: short.conditions.map((each, index) => (index === 1 ? { ...each, message: long } : each)),
  },
} as Readonly<Record<string, Partial<NodePoolStatus>>>

test.each(Object.keys(LONG))('boundedStatus cuts a long %s, and changes nothing else', (name) => {
  const status: NodePoolStatus = { ...short, ...LONG[name] }
  const bounded = boundedStatus(status)
  const [part] = Object.keys(LONG[name] ?? {}) as (keyof NodePoolStatus)[]

  expect(JSON.stringify(bounded).length).toBeLessThan(10_000)
  expect({ ...bounded, [part as string]: undefined }).toEqual({ ...status, [part as string]: undefined })
  expect(JSON.stringify(bounded)).toContain('xxx')
})

test('boundedStatus gives a status with short texts back as it is', () => {
  const all = {
    ...short,
    gates: [gate],
    controls: [control],
    rollback: rollback({}, {}),
    rejected: [ref],
    rollbackTo: [ref],
    history: [entry],
  }

  expect(boundedStatus(short)).toBe(short)
  expect(boundedStatus(all)).toBe(all)
})

test.each([
  ['a message', 1_000, (message: string) => ({ controls: [{ ...control, message }] })],
  [
    'a message of a condition',
    4_000,
    (message: string) => ({ conditions: short.conditions.map((each) => ({ ...each, message })) }),
  ],
] as const)('boundedStatus leaves %s of %i characters, and cuts a longer one to that', (_, longest, partWith) => {
  const status = (length: number): NodePoolStatus => ({ ...short, ...partWith('x'.repeat(length)) })
  const fits = status(longest)

  expect(boundedStatus(fits)).toBe(fits)
  expect(JSON.stringify(boundedStatus(status(longest + 1))).length).toBe(JSON.stringify(fits).length)
})
