/** The agent as a process: what needs no API server does not wait for a kubeconfig. */
import { once } from 'node:events'
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { kubeconfigFor, put, startAgent } from './agent-process.ts'

/** Answers nothing that helps. */
async function aServer() {
  const asked = Promise.withResolvers<IncomingMessage>()
  const server = createServer((request, response) => {
    asked.resolve(request)
    response.writeHead(503).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    /** The first request. */
    asked: asked.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await promisify(server.close.bind(server))()
    },
  }
}

const roots: string[] = []
afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true, force: true })
})

/** A host on which the power went while a file was being changed. */
function interruptedHost(): { readonly root: string; readonly motd: string; readonly kubeconfig: string } {
  const root = mkdtempSync(join(tmpdir(), 'agent-'))
  roots.push(root)
  const [uid, gid] = [process.getuid?.(), process.getgid?.()]
  const undo = { do: 'restore', path: '/etc/motd', from: '/var/lib/nodewave/backups/t1/0', mode: 0o644, uid, gid }
  const head = { id: 't1', purpose: 'apply', activation: { reload: false, restarts: [] }, before: { healthy: false } }
  const lines = [
    { at: 'begin', ...head, proof: { ready: false, within: 1000 } },
    { at: 'intent', step: 0, undo: { kind: 'file', version: 1, data: undo } },
  ]
  put(join(root, 'var/lib/nodewave/journal.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  put(join(root, undo.from), 'theirs\n')
  put(join(root, undo.path), 'half of ou')
  return { root, motd: join(root, undo.path), kubeconfig: join(root, 'etc/kubernetes/kubelet.conf') }
}

test.each([
  ['is broken', 'clusters: [{'],
  ['is missing', undefined],
])('agent undoes what was interrupted when its kubeconfig %s, and goes on when there is one', async (_, text) => {
  const { root, motd, kubeconfig } = interruptedHost()
  if (text !== undefined) put(kubeconfig, text)
  await using agent = startAgent(root)

  expect(await agent.line(/works without the API server/)).toContain(text === undefined ? 'does not exist' : 'failed to parse')
  expect(await agent.line(/transaction recovered/)).toContain('ending=undone')
  expect(readFileSync(motd, 'utf8')).toBe('theirs\n')
  await using server = await aServer()
  put(`${kubeconfig}.new`, kubeconfigFor(server.url, 'of-the-new-file'))
  renameSync(`${kubeconfig}.new`, kubeconfig)
  expect(await agent.line(/the kubeconfig was replaced/)).toContain(kubeconfig)
  const { url, headers } = await server.asked
  expect(url).toContain('/api/v1/nodes')
  expect(headers.authorization).toBe('Bearer of-the-new-file')
})
