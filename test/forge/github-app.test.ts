import { generateKeyPairSync, verify } from 'node:crypto'
import { inspect } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { installationTokens } from '../../src/forge/github-app/installation-tokens.ts'
import { type ForgeServer, startForgeServer } from './status/forge-server.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const PEM = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
const START = Date.UTC(2026, 0, 1)
const HOUR = 3_600_000
let server: ForgeServer
let now: number

beforeEach(async () => {
  server = await startForgeServer()
  now = START
})
afterEach(() => server[Symbol.asyncDispose]())

function tokens(key: () => string = () => PEM) {
  return installationTokens({
    ...{ url: server.url, id: '1234', repository: 'platform/fleet', permissions: { contents: 'read' as const } },
    ...{ privateKey: async () => key(), now: () => now },
  })
}

/** The two answers with which GitHub gives a token; docs.github.com, "Generating an installation access token for a GitHub App". */
function grant(token: string, until = now + HOUR) {
  return [
    { status: 200, body: { id: 77, account: { login: 'platform' } } },
    { status: 201, body: { token, expires_at: new Date(until).toISOString(), permissions: { contents: 'read' } } },
  ]
}

test('a token is for reading one repository, and is asked for as the app', async () => {
  server.answers = grant('ghs_one')
  expect(await tokens().get()).toBe('ghs_one')
  expect(server.asked.map(({ line, body }) => [line, body])).toEqual([
    ['GET /api/repos/platform/fleet/installation', undefined],
    ['POST /api/app/installations/77/access_tokens', { repositories: ['fleet'], permissions: { contents: 'read' } }],
  ])
  const [head = '', claims = '', signature = ''] = server.asked[1]?.authorization?.replace('Bearer ', '').split('.') ?? []
  expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual({ alg: 'RS256', typ: 'JWT' })
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({
    iat: START / 1000 - 60,
    exp: START / 1000 + 540,
    iss: '1234',
  })
  const signed = Buffer.from(`${head}.${claims}`)
  expect(verify('RSA-SHA256', signed, publicKey, Buffer.from(signature, 'base64url'))).toBe(true)
})

test('a token is kept for as long as it outlasts a fetch, and asked for once by several', async () => {
  server.answers = [...grant('ghs_one'), ...grant('ghs_two', START + 2 * HOUR)]
  const app = tokens()
  expect(await Promise.all([app.get(), app.get()])).toEqual(['ghs_one', 'ghs_one'])
  now = START + HOUR - 15 * 60_000 - 1
  expect(await app.get()).toBe('ghs_one')
  now += 1
  expect(await app.get()).toBe('ghs_two')
  expect(server.asked).toHaveLength(4)
})

test('a token that is forgotten is asked for again, with the key that there is then', async () => {
  server.answers = [...grant('ghs_one'), ...grant('ghs_two')]
  let key = PEM
  const app = tokens(() => key)
  await app.get()
  key = 'no key'
  app.forget()
  await expect(app.get()).rejects.toThrow()
  key = PEM
  expect(await app.get()).toBe('ghs_two')
})

test.for([401, 404, 403])(
  'an app that GitHub answers with %i gets an error without its key, and may try again',
  async (status) => {
    const app = tokens()
    server.answers = [{ status, body: { message: 'Bad credentials' } }]
    const error = await app.get().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ message: `${server.url}: HTTP ${status}: Bad credentials` })
    expect(inspect(error, { depth: null })).not.toContain(PEM.split('\n')[1])
    server.answers = grant('ghs_one')
    expect(await app.get()).toBe('ghs_one')
  },
)
