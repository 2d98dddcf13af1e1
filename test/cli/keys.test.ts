import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { checkSignature, readTrustedKey } from '../../src/protocol/assignment-signature.ts'
import { startApiServer } from '../../src/sim/apiserver/start-api-server.ts'
import { aFolder, runCli } from './run-cli.ts'

async function generated(cwd: string): Promise<readonly [string, string]> {
  const { stdout } = await runCli(cwd, ['keys', 'generate', '--out', 'keys'])
  const [key = '', pem = ''] = [...stdout.matchAll(/: (\S+)$/gm)].map(([, path = '']) => path)
  return [key, pem]
}

test('keys generate writes a private key that only its owner reads, and the public key for nodes', async () => {
  const [key, pem] = await generated(await aFolder({}))
  expect((await stat(key)).mode & 0o777).toBe(0o600)
  expect(readTrustedKey(await readFile(pem, 'utf8')).id).toBe(/nodewave-([0-9a-f]{16})\.key$/.exec(key)?.[1])
})

test('keys generate prints where the keys are as JSON', async () => {
  const cwd = await aFolder({})
  const { stdout } = await runCli(cwd, ['keys', 'generate', '--out', 'keys', '-o', 'json'])
  const { id, privateKey, publicKey } = JSON.parse(stdout)
  expect([privateKey, publicKey]).toEqual([join(cwd, `keys/nodewave-${id}.key`), join(cwd, `keys/nodewave-${id}.pem`)])
  expect(readTrustedKey(await readFile(publicKey, 'utf8')).id).toBe(id)
})

test('sign makes a desired-config that the node accepts', async () => {
  const cwd = await aFolder({})
  const [key, pem] = await generated(cwd)
  const server = await startApiServer({ controllers: false })
  try {
    await writeFile(join(cwd, 'kubeconfig'), server.kubeconfig())
    const kube = createKubeClient({ server: server.url, credentials: async () => ({}) })
    const annotations = {
      'nodewave.io/desired-config': '{"COUNTER":99}',
      'nodewave.io/status': '{"phase":"Applied","since":"","counter":9000000000000}',
    }
    const node = await kube.create<{ metadata: { uid: string } }>('/api/v1/nodes', { metadata: { name: 'a', annotations } })
    const args = ['keys', 'sign', 'a', '{"KUBELET_OPTS":"--v=4"}', '--key', key, '--kubeconfig', 'kubeconfig']
    const { stdout } = await runCli(cwd, args)
    const keys = [readTrustedKey(await readFile(pem, 'utf8'))]
    expect(checkSignature(stdout.trim(), { node: node.metadata.uid, keys })).toEqual({ counter: 9_000_000_000_001 })
    expect(JSON.parse(stdout)).toMatchObject({ KUBELET_OPTS: '--v=4' })
  } finally {
    await server.close()
  }
})

test.each([
  ['is no key', 'nonsense', ''],
  ['is not there', undefined, 'ENOENT: no such file or folder; check the path\n'],
])('sign says which file %s', async (_, content, why) => {
  const cwd = await aFolder({})
  if (content !== undefined) await writeFile(join(cwd, 'a.key'), content)
  const { stderr, code } = await runCli(cwd, ['keys', 'sign', 'a', '{}', '--key', 'a.key'])
  expect([code, stderr]).toEqual([2, expect.stringContaining(`error: failed to read key "${join(cwd, 'a.key')}": ${why}`)])
})
