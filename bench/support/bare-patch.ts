/** What no agent can be faster than: Node alone, as the unit of an agent starts it, that patches its Node over one TLS connection. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { KubeObject } from '../../src/kube/kube-api.ts'
import { nodeFlags } from './agent-machine.ts'
import { type Cluster, whenSeen } from './cluster.ts'

const SEEN = 'bench.test/seen'
const CODE = `
const { readFileSync } = process.getBuiltinModule('node:fs')
const [caFile, url] = process.argv.slice(1)
const options = { method: 'PATCH', ca: readFileSync(caFile), headers: { 'content-type': 'application/merge-patch+json' } }
process.getBuiltinModule('node:https').request(url, options).end('{"metadata":{"annotations":{"${SEEN}":"yes"}}}')
`

/** @returns milliseconds from the start of the process until the API server shows the patch */
export async function startToBarePatch({ kube, server, certificate }: Cluster, node: string): Promise<number> {
  if (certificate === undefined) throw new Error('patch over TLS: the cluster has no certificate; start it with https')
  const path = `/api/v1/nodes/${node}`
  const wanted = ({ metadata }: KubeObject): boolean => metadata.name === node && metadata.annotations?.[SEEN] !== undefined
  const seen = whenSeen(kube, { path: '/api/v1/nodes', wanted })
  const start = performance.now()
  const child = spawn(process.execPath, [...nodeFlags, '-e', CODE, '--', certificate.caFile, `${server.url}${path}`], {
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  const time = (await seen) - start
  child.kill()
  await ended
  return time
}
