import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { inspect, promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createRemoteSource } from '../../src/gitsync/remote-source.ts'
import { serverThat, startRemote } from './follow-fixture.ts'
import { gitFixture } from './git-fixture.ts'
import { sshRemote } from './ssh-fixture.ts'

const { signal } = new AbortController()
const TLS = join(import.meta.dirname, '../kube/fixtures')

test('a remote is read with the token of an app, and a token that is refused is not used again', async () => {
  await using remote = await startRemote({ password: { username: 'x-access-token', password: 'ghs_two' } })
  const head = await remote.push('first')
  const given = ['ghs_one', 'ghs_two']
  let forgotten = 0
  const tokens = {
    get: async () => given[forgotten] ?? '',
    forget: () => {
      forgotten += 1
    },
  }
  const source = remote.source({ insecureHttp: true, credentials: { kind: 'app', tokens } })
  await expect(source.head(signal)).rejects.toMatchObject({ reason: 'Unauthorized' })
  expect(await source.head(signal)).toBe(head)
  expect(forgotten).toBe(1)
})

test('a server that asks for a client certificate gets the one that the files have at the time', async () => {
  await using remote = await startRemote()
  const subjects: string[] = []
  const file = (name: string) => readFileSync(join(TLS, name))
  const own = { key: join(remote.folder, 'server.key'), cert: join(remote.folder, 'server.crt') }
  const made = ['-newkey', 'rsa:2048', '-nodes', '-keyout', own.key, '-out', own.cert]
  await promisify(execFile)('openssl', ['req', '-x509', ...made, '-subj', '/CN=git', '-addext', 'subjectAltName=IP:127.0.0.1'])
  const server = createServer(
    { key: readFileSync(own.key), cert: readFileSync(own.cert), ca: file('ca.crt'), requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      subjects.push(String((request.socket as TLSSocket).getPeerCertificate().subject.CN))
      response.writeHead(404).end()
    },
  ).listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  const [certFile, keyFile] = [join(remote.folder, 'client.crt'), join(remote.folder, 'client.key')]
  const url = `https://127.0.0.1:${Object(server.address()).port}/fleet.git`
  const options = { url, ref: { branch: 'main' }, directory: join(remote.folder, 'objects'), caFile: own.cert }
  try {
    await expect(createRemoteSource(options).head(signal)).rejects.toMatchObject({ reason: 'Unreachable' })
    const source = createRemoteSource({ ...options, clientCertificate: { certFile, keyFile } })
    await expect(source.head(signal)).rejects.toMatchObject({
      reason: 'CredentialsUnreadable',
      message: `failed to read the certificate "${certFile}" of --client-cert-file`,
    })
    for (const name of ['client-a', 'client-b']) {
      await writeFile(certFile, file(`${name}.crt`))
      await writeFile(keyFile, file(`${name}.key`))
      await expect(source.head(signal)).rejects.toMatchObject({ reason: 'RepositoryNotFound' })
    }
    expect(subjects).toHaveLength(2)
    expect(new Set(subjects).size).toBe(2)
  } finally {
    server.close()
    server.closeAllConnections()
  }
})

/** What is in an error, to the last cause: some of it ends in logs and conditions. */
async function allOf(asked: Promise<unknown>): Promise<string> {
  const error: unknown = await asked.then(
    () => expect.fail('it did not fail'),
    (thrown: unknown) => thrown,
  )
  return inspect(error, { depth: null, showHidden: true, maxStringLength: null })
}

test('no error about a repository holds a token, a password or a key', async () => {
  await using remote = await startRemote({ password: { username: 'bot', password: 'right' } })
  const secretFile = join(remote.folder, 'secret')
  await writeFile(secretFile, 'a-very-secret-token')
  const bearer = { kind: 'bearer', tokenFile: secretFile } as const
  const basic = { kind: 'basic', usernameFile: secretFile, passwordFile: secretFile } as const
  const encoded = Buffer.from('a-very-secret-token:a-very-secret-token').toString('base64')
  const failing = [
    remote.url,
    'http://127.0.0.1:1/fleet.git',
    await serverThat((_, response) => response.writeHead(302, { location: '/login?token=a-very-secret-token' }).end()),
    await serverThat((_, response) => response.writeHead(500).end('Authorization: what?')),
    await serverThat((_, response) => response.writeHead(200).end('a page')),
    await serverThat((_, response) => response.destroy()),
  ]
  for (const url of failing)
    for (const credentials of [bearer, basic]) {
      const source = createRemoteSource({
        url,
        ref: { branch: 'main' },
        directory: remote.folder,
        credentials,
        insecureHttp: true,
      })
      const text = await allOf(source.head(signal))
      expect(text).not.toContain('a-very-secret-token')
      expect(text).not.toContain(encoded)
    }
})

test.for(['', 'two\nlines', 'a token', 'tökén'])(
  'a token file that holds %j is told by its path, before anything is sent',
  async (text) => {
    await using fixture = await gitFixture()
    const tokenFile = join(fixture.folder, 'token')
    await writeFile(tokenFile, text)
    let asked = 0
    const url = await serverThat((_, response) => {
      asked += 1
      response.writeHead(500).end()
    })
    const options = { url, ref: { branch: 'main' }, directory: fixture.folder, insecureHttp: true } as const
    const source = createRemoteSource({ ...options, credentials: { kind: 'bearer', tokenFile } })
    await expect(source.head(signal)).rejects.toMatchObject({
      reason: 'CredentialsUnreadable',
      message: `failed to read credentials "${tokenFile}": expected one line of ASCII without spaces`,
    })
    expect(asked).toBe(0)
  },
)

test('no error about a repository over SSH holds the key', async () => {
  await using remote = await sshRemote()
  const [, line = ''] = readFileSync(remote.file('deploy'), 'utf8').split('\n')
  const other = { keyFile: remote.file('deploy'), knownHostsFile: remote.file('deploy.pub') }
  const failing = [
    remote.source({ url: `ssh://somebody@127.0.0.1:${remote.port}/fleet.git` }),
    remote.source({ url: `ssh://git@127.0.0.1:${remote.port}/nowhere.git` }),
    remote.source({ url: 'ssh://git@127.0.0.1:1/fleet.git' }),
    remote.source({ ssh: other }),
  ]
  for (const source of failing) expect(await allOf(source.head(signal))).not.toContain(line)
})
