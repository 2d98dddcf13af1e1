import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findConnection } from '../../src/kube/find-connection.ts'

let folder: string
const at = (name: string) => join(folder, name)
const fixture = (name: string) => join(import.meta.dirname, 'fixtures', name)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nodewave-connection-'))
  await writeFile(at('spoilt'), 'no certificate at all')
})

afterAll(() => rm(folder, { recursive: true }))

/** A kubeconfig with one context. */
async function write(name: string, { cluster = '', user = 'token: secret', current = true } = {}): Promise<string> {
  await writeFile(
    at(name),
    `
${current ? `current-context: ${name}` : ''}
clusters: [{ name: c, cluster: { server: "https://${name}.example.com"${cluster && `, ${cluster}`} } }]
users: [{ name: u, user: { ${user} } }]
contexts: [{ name: ${name}, context: { cluster: c, user: u } }]
`,
  )
  return at(name)
}

const CERTIFICATE = `client-certificate: ${fixture('client-a.crt')}`

test.for([
  [{ cluster: `certificate-authority: ${fixture('ca.crt')}`, user: `${CERTIFICATE}, client-key: ${fixture('client-a.key')}` }],
  [{ user: 'token: secret' }],
  [{ user: '' }],
])('a connection is found when its credentials can be used: %j', async ([parts]) => {
  expect((await findConnection({ kubeconfig: await write('good', parts) })).server).toBe('https://good.example.com')
})

test.for([
  ['client-certificate: gone.crt, client-key: gone.key', 'use the credentials of "F/bad": failed to read credentials "F/gone.'],
  ['tokenFile: gone', 'use the credentials of "F/bad": failed to read credentials "F/gone": ENOENT'],
  [CERTIFICATE, 'correct the credentials of "F/bad": there is a client certificate without its key'],
  [
    `client-certificate: spoilt, client-key: spoilt`,
    'correct the credentials of "F/bad": the client certificate cannot be used: ',
  ],
  [`${CERTIFICATE}, client-key: spoilt`, 'correct the credentials of "F/bad": the client key cannot be used: '],
  [
    `${CERTIFICATE}, client-key: ${fixture('client-b.key')}`,
    'correct the credentials of "F/bad": the client key cannot be used: ',
  ],
] as const)('a user with %s is an error at once, not one to be retried without end', async ([user, message]) => {
  const error = await findConnection({ kubeconfig: await write('bad', { user }) }).catch((thrown) => thrown)
  expect(error.message).toContain(message.replaceAll('F', folder))
  expect(error.name).toBe('KubeconfigError')
})

test('an authority that is no certificate is an error at once, for nobody would be trusted by it', async () => {
  const kubeconfig = await write('bad', { cluster: 'certificate-authority: spoilt' })
  await expect(findConnection({ kubeconfig })).rejects.toThrow('the certificate authority cannot be used: ')
})

test('a file that is named wins over KUBECONFIG, and that over the one in the home folder', async () => {
  const [named, listed] = [await write('named'), await write('listed')]
  const env = { KUBECONFIG: listed, HOME: folder }
  expect((await findConnection({ kubeconfig: named, env })).server).toBe('https://named.example.com')
  expect((await findConnection({ env })).server).toBe('https://listed.example.com')
  await expect(findConnection({ env: { HOME: folder } })).rejects.toThrow(
    `failed to find a kubeconfig: there is no "${folder}/.kube/config", and this is not a pod; name one with --kubeconfig or KUBECONFIG`,
  )
})

test('of several files in KUBECONFIG the first counts that has the context, and those that are not there do not', async () => {
  const files = [at('not-there'), await write('one', { current: false }), await write('two'), await write('three')]
  const env = { KUBECONFIG: files.join(delimiter), HOME: folder }
  expect((await findConnection({ env })).server).toBe('https://two.example.com')
  expect((await findConnection({ env, context: 'three' })).server).toBe('https://three.example.com')
  await expect(findConnection({ env, context: 'four' })).rejects.toThrow(
    `choose a context with --context: the files of KUBECONFIG, "${env.KUBECONFIG}", have "one", "two", "three"`,
  )
})
