import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { addStatusAccount } from '../../src/cli/controller/status-accounts.ts'
import { statusesFor } from '../../src/cli/controller/status-options.ts'
import { startForgeServer } from '../forge/status/forge-server.ts'
import { aFolder } from './run-cli.ts'

const given = {
  statusForge: 'gitea',
  statusTokenFile: 'token',
  repo: 'https://git.example.com/platform/fleet.git',
  cwd: '/',
} as const

test('without a forge no statuses are posted', () => {
  expect(statusesFor({ repo: '.', cwd: '/' })).toBeUndefined()
})

test.each([
  ['github', 140],
  ['gitea', 140],
  ['gitlab', 255],
] as const)('%s takes descriptions of %i characters', (statusForge, longest) => {
  expect(statusesFor({ ...given, statusForge })?.statuses.longestDescription).toBe(longest)
})

test('the names of statuses begin as asked', () => {
  expect(statusesFor(given)?.prefix).toBe('nodewave')
  expect(statusesFor({ ...given, statusContext: 'nodewave/staging' })?.prefix).toBe('nodewave/staging')
})

test.each([
  [{ ...given, statusTokenFile: undefined }, '--status-forge needs --status-token-file'],
  [{ ...given, repo: '/srv/fleet' }, '--status-forge with a --repo that is no URL needs --status-url and --status-repository'],
  [
    { ...given, statusUrl: 'git.example.com' },
    '--status-url "git.example.com": expected a URL such as https://git.example.com/api/v1',
  ],
  [{ ...given, repo: 'http://git.example.com/a/b' }, 'refuse to send the token to "http://git.example.com/api/v1"'],
])('%j is refused', (options, message) => {
  const { statusTokenFile, ...more } = options
  expect(() => statusesFor({ ...more, ...(statusTokenFile && { statusTokenFile }) })).toThrow(message)
})

test('with an account of its own, a controller does not take what others posted for posted', async () => {
  const forge = await startForgeServer()
  onTestFinished(() => forge[Symbol.asyncDispose]())
  const of = (login: string) => ({
    context: `nodewave/${login}`,
    state: 'success',
    description: '3 nodes run it',
    creator: { login },
  })
  forge.answers = [{ status: 200, body: [of('mallory'), of('Nodewave')] }]
  const statusTokenFile = join(await aFolder({ token: 'secret' }), 'token')
  const statusAccount = addStatusAccount('production=nodewave', addStatusAccount('nodewave-staging'))
  const options = { ...given, statusTokenFile, statusUrl: forge.url, insecureHttp: true, statusAccount, cluster: 'production' }
  const found = await statusesFor(options)?.statuses.list('a'.repeat(40), AbortSignal.timeout(60_000))
  expect(found?.map(({ context }) => context)).toEqual(['nodewave/Nodewave'])
})

test.each([
  ['', 'expected the name of an account, or CLUSTER=ACCOUNT'],
  ['staging=', 'expected the name of an account, or CLUSTER=ACCOUNT'],
  ['=nodewave', 'expected the name of an account, or CLUSTER=ACCOUNT'],
  ['a=b=c', 'expected the name of an account, or CLUSTER=ACCOUNT'],
  ['staging=other', '"staging=nodewave" is given already; give one of the two'],
])('--status-account "%s" is refused', (text, message) => {
  expect(() => addStatusAccount(text, addStatusAccount('staging=nodewave'))).toThrow(message)
})
