import { expect, test } from 'vitest'
import { planAnswer } from '../../src/dashboard/page/plan-answer.js'

const UNREADABLE = { text: 'The plan cannot be read now; the page asks again.', isFinal: false }

test('a plan is what the controller answers, and nothing where it knows none', async () => {
  expect(await planAnswer(async () => Response.json({ summary: '1 of 2 nodes' }))).toEqual({ plan: { summary: '1 of 2 nodes' } })
  expect(await planAnswer(async () => new Response('', { status: 404 }))).toEqual({
    text: 'Nothing is planned now.',
    isFinal: true,
  })
})

test('a failed answer, or none, does not mean that nothing is planned', async () => {
  expect(await planAnswer(async () => new Response('KubeError', { status: 500 }))).toEqual(UNREADABLE)
  expect(await planAnswer(() => Promise.reject(new TypeError('Failed to fetch')))).toEqual(UNREADABLE)
})
