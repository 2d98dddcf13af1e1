import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { execAuth } from '../../src/kube/exec-auth.ts'
import { inCluster } from '../../src/kube/in-cluster.ts'
import { loadKubeconfig } from '../../src/kube/kubeconfig.ts'

let folder: string
const at = (name: string) => join(folder, name)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nodewave-kubeconfig-'))
  await mkdir(at('pki'))
  for (const name of ['ca', 'cert', 'key', 'token']) await writeFile(at(`pki/${name}`), `${name} of a file`)
  await writeFile(at('plugin'), '#!/bin/sh\necho \'{"kind":"ExecCredential","status":{"token":"of the plugin"}}\'\n')
  await chmod(at('plugin'), 0o755)
  await writeFile(at('config'), CONFIG)
})

afterAll(() => rm(folder, { recursive: true }))

const base64 = (text: string) => Buffer.from(text).toString('base64')

const CONFIG = `
apiVersion: v1
kind: Config
current-context: files
clusters:
- name: by-files
  cluster: { server: https://10.0.0.1:6443, certificate-authority: pki/ca, tls-server-name: api }
- name: by-data
  cluster: { server: https://10.0.0.2:6443, certificate-authority-data: ${base64('ca inside')}, insecure-skip-tls-verify: true }
- name: by-proxy
  cluster: { server: https://10.0.0.3, proxy-url: http://proxy:3128 }
- name: nowhere
  cluster: { server: "10.0.0.4:6443" }
users:
- name: files
  user: { client-certificate: pki/cert, client-key: pki/key }
- name: data
  user: { client-certificate-data: ${base64('cert inside')}, client-key-data: ${base64('key inside')} }
- name: token
  user: { token: of the text }
- name: tokenFile
  user: { tokenFile: pki/token, token: ignored }
- name: plugin
  user: { exec: { apiVersion: client.authentication.k8s.io/v1, command: ./plugin } }
contexts:
- name: files
  context: { cluster: by-files, user: files, namespace: kube-system }
- name: data
  context: { cluster: by-data, user: data }
- name: token
  context: { cluster: by-files, user: token }
- name: tokenFile
  context: { cluster: by-files, user: tokenFile }
- name: plugin
  context: { cluster: by-data, user: plugin }
- name: proxy
  context: { cluster: by-proxy }
- name: nowhere
  context: { cluster: nowhere }
- name: dangling
  context: { cluster: by-file }
`

test('loadKubeconfig finds files beside the kubeconfig when it names them by relative paths', async () => {
  const connection = await loadKubeconfig(at('config'))
  expect(connection).toMatchObject({ server: 'https://10.0.0.1:6443', tlsServerName: 'api', namespace: 'kube-system' })
  expect(await connection.credentials()).toEqual({ ca: 'ca of a file', cert: 'cert of a file', key: 'key of a file' })
})

test('loadKubeconfig takes data out of the file itself when it is there', async () => {
  const connection = await loadKubeconfig(at('config'), { context: 'data' })
  expect(connection.insecureSkipTlsVerify).toBe(true)
  expect(await connection.credentials()).toEqual({ ca: 'ca inside', cert: 'cert inside', key: 'key inside' })
})

test.for([
  ['token', 'of the text'],
  ['tokenFile', 'token of a file'],
] as const)('loadKubeconfig takes the token when the user has a %s', async ([context, token]) => {
  const connection = await loadKubeconfig(at('config'), { context })
  expect(await connection.credentials()).toEqual({ ca: 'ca of a file', token })
})

test.for([
  ['proxy', 'remove proxy-url from "F/config": connections through a proxy are not supported'],
  ['nowhere', 'correct server "10.0.0.4:6443" in "F/config": it must be a URL like "https://10.0.0.1:6443"'],
  ['dangling', 'failed to find cluster "by-file" in "F/config": it has "by-files", "by-data", "by-proxy", "nowhere"'],
  ['plugin', 'user "plugin" in "F/config" needs a credential plugin, which is not run here: use a token or a client certificate'],
] as const)('loadKubeconfig says what to do when the context is %s', async ([context, message]) => {
  await expect(loadKubeconfig(at('config'), { context })).rejects.toThrow(message.replace('F', folder))
})

test.for([
  ['current-context: [', /^failed to parse kubeconfig ".*": it is not valid YAML: (BAD_INDENT|FLOW|MISSING)\S* at line 1$/],
  ['users: [{ name: a, user: { token: { secret: 1 } } }]', /^failed to parse kubeconfig ".*": users\.0\.user\.token: /],
  ['clusters: []', /^choose a context: ".*" has no current-context; it has none$/],
] as const)('loadKubeconfig names the place and no secret when the file is %s', async ([text, message]) => {
  await writeFile(at('bad'), text)
  const error = await loadKubeconfig(at('bad')).catch((thrown) => thrown)
  expect(error.message).toMatch(message)
  expect(error.message).not.toContain('secret')
})

test('loadKubeconfig says so when there is no file', async () => {
  await expect(loadKubeconfig('/does/not/exist')).rejects.toThrow('failed to read kubeconfig "/does/not/exist": ENOENT')
})

test('execAuth gives the token that the plugin prints', async () => {
  const connection = await loadKubeconfig(at('config'), { context: 'plugin', plugin: execAuth })
  expect(await connection.credentials()).toEqual({ ca: 'ca inside', token: 'of the plugin' })
})

test('execAuth fails, to be retried, when the plugin cannot be run', async () => {
  await writeFile(at('no-plugin'), CONFIG.replace('./plugin', './no-such-plugin'))
  const credentials = execAuth({ path: at('no-plugin'), context: 'plugin' })
  await expect(credentials()).rejects.toMatchObject({ reason: 'CredentialsUnreadable', reaction: 'retry' })
})

test('inCluster follows the service account of the pod, and is nothing outside one', async () => {
  await writeFile(at('pki/ca.crt'), 'ca of the pod')
  await writeFile(at('pki/namespace'), 'nodewave-system')
  const connection = await inCluster({ KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' }, at('pki'))
  expect(connection).toMatchObject({ server: 'https://[fd00::1]:443', namespace: 'nodewave-system' })
  expect(await connection?.credentials()).toEqual({ ca: 'ca of the pod', token: 'token of a file' })
  expect(await inCluster({}, at('pki'))).toBeUndefined()
})

test('inCluster says what a pod lacks that was given no service account', async () => {
  const env = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' }
  await expect(inCluster(env, '/does/not/exist')).rejects.toThrow(
    `failed to read the pod's service account in "/does/not/exist": ENOENT; give the pod one (automountServiceAccountToken), or name a file with --kubeconfig`,
  )
})
