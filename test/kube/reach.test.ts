import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { type Reach, reachOf } from '../../src/kube/reach.ts'
import { ManualTimers } from './manual-timers.ts'
import { type Answer, refusal, scriptedServer } from './scripted-server.ts'

const NODE = '/api/v1/nodes/a'
const fixture = (name: string): string => readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8')
const tls = { key: fixture('server.key'), cert: fixture('server.crt') }
const reached = (asked: Promise<unknown>): Promise<Reach | undefined> => asked.then(() => undefined, reachOf)

test('a request reaches the server that refuses it', async () => {
  await using server = await scriptedServer([refusal(500, 'InternalError')])
  const client = createKubeClient({ server: server.url, credentials: async () => ({}) })

  expect(await reached(client.get(NODE))).toBe('server')
})

test('a request reaches the machine where the server is gone, and where a load balancer closes the connection', async () => {
  const server = await scriptedServer([(response) => response.destroy()])
  const client = createKubeClient({ server: server.url, credentials: async () => ({}) })
  const closed = await reached(client.get(NODE))
  await server[Symbol.asyncDispose]()

  expect([closed, await reached(client.get(NODE))]).toEqual(['machine', 'machine'])
})

/** The first question is answered where `answers` says so; the last one never is. */
async function unanswered(
  answers: readonly Answer[],
  { isSecured }: { readonly isSecured: boolean },
): Promise<Reach | undefined> {
  const timers = new ManualTimers()
  const came = Promise.withResolvers<void>()
  await using server = await scriptedServer([...answers, () => came.resolve()], isSecured ? tls : undefined)
  const credentials = async () => (isSecured ? { ca: fixture('ca.crt') } : {})
  const client = createKubeClient({ server: server.url, tlsServerName: 'api.example.invalid', credentials }, { timers })
  for (const _ of answers) await client.get(NODE)
  const asked = reached(client.get(NODE, { timeout: 10_000 }))
  await came.promise
  timers.advance(10_000)
  return asked
}

test('a request without an answer reaches the server that has proved who it is on a new connection', async () => {
  expect(await unanswered([], { isSecured: true })).toBe('server')
})

test('a request without an answer reaches nobody on a connection that anybody may have taken, or that stood before', async () => {
  const answer: Answer = (response) => response.end('{}')

  expect(await unanswered([], { isSecured: false })).toBe('nobody')
  expect(await unanswered([answer], { isSecured: true })).toBe('nobody')
})
