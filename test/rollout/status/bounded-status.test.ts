import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
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
      .assignedTo('new', { at: noon - minute })
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
