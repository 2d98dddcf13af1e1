import { expect, test } from 'vitest'
import type { PullRequestComment, PullRequests } from '../../../src/forge/pull-request/pull-requests.ts'
import { putComment } from '../../../src/forge/pull-request/put-comment.ts'

const MARKER = '<!-- ours -->'
const { signal } = new AbortController()

function forgeWith(own: readonly PullRequestComment[]): { readonly forge: PullRequests; readonly said: string[] } {
  const said: string[] = []
  const forge: PullRequests = {
    longestComment: 1000,
    commits: async () => ({ head: '', base: '' }),
    ownComments: async () => own,
    comment: async (number, body) => void said.push(`new on ${number}: ${body}`),
    edit: async (_, { id, body }) => void said.push(`edit ${id}: ${body}`),
  }
  return { forge, said }
}

test('the first plan of a pull request is a new comment', async () => {
  const { forge, said } = forgeWith([{ id: 1, body: `I quote ${MARKER}` }])
  expect(await putComment(forge, { number: 7, marker: MARKER, body: `${MARKER}\nplan` }, signal)).toBe('created')
  expect(said).toEqual([`new on 7: ${MARKER}\nplan`])
})

test('the next plan updates that comment', async () => {
  const { forge, said } = forgeWith([
    { id: 1, body: 'hello' },
    { id: 2, body: `${MARKER}\nplan` },
  ])
  expect(await putComment(forge, { number: 7, marker: MARKER, body: `${MARKER}\nother` }, signal)).toBe('updated')
  expect(said).toEqual([`edit 2: ${MARKER}\nother`])
})

test('an equal plan writes nothing, whatever the forge does to line ends', async () => {
  const { forge, said } = forgeWith([{ id: 2, body: `${MARKER}\r\nplan` }])
  expect(await putComment(forge, { number: 7, marker: MARKER, body: `${MARKER}\nplan\n` }, signal)).toBe('unchanged')
  expect(said).toEqual([])
})
