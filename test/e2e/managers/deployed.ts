/**
 * Runs inside a machine: the agent as the script of deploy/ starts it, and an API server in this process that its kubeconfig names. It is
 * killed, restarted in the middle of a change, and stopped.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findServiceManager, serviceManager } from '../../../src/agent/adapters/services/find-service-manager.ts'
import { type AgentStatus, parseAgentStatus } from '../../../src/protocol/agent-status.ts'
import { formatDesiredConfig } from '../../../src/protocol/desired-config.ts'
import { contentDigest } from '../../../src/protocol/digest.ts'
import { DEFAULT_PREFIX, namesFor } from '../../../src/protocol/names.ts'
import { startApiServer } from '../../../src/sim/apiserver/start-api-server.ts'
import { check } from '../scenario.ts'
import { AGENT_COMMANDS } from './agent-script.ts'

const names = namesFor(DEFAULT_PREFIX)
const node = hostname()
const run = promisify(execFile)
const manager = await findServiceManager()
check('another manager than systemd', manager !== 'systemd')
const services = serviceManager(manager)
const server = await startApiServer()
const url = new URL('/api/v1/', server.url)
mkdirSync('/etc/kubernetes', { recursive: true })
writeFileSync('/etc/kubernetes/kubelet.conf', server.kubeconfig())
await send('POST', 'namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'nodewave-system' } })
await send('POST', 'nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: node } })
const beats = setInterval(() => void beat().catch(() => {}), 1000)

await run('/bin/sh', ['-c', AGENT_COMMANDS[manager].install])
await until(async () => (await agents()).length === 1, 'the agent runs')
check('the stand-in runs', (await assign(110)).phase === 'Applied')

const [first = 0] = await agents()
process.kill(first, 'SIGKILL')
await until(async () => (await other(first)) !== undefined, 'an agent that was killed comes back')
console.log('killed, and back')

for (const [maxPods, end] of [
  [60, 'restart'],
  [70, 'kill'],
] as const) {
  const before = (await agents())[0] ?? 0
  const done = assign(maxPods)
  await until(async () => (await status())?.phase === 'Applying', 'the agent changes the host')
  if (end === 'kill') process.kill(before, 'SIGKILL')
  else await run('/bin/sh', ['-c', AGENT_COMMANDS[manager].does('restart')])
  check(`an agent that ends by ${end} in the middle finishes`, (await done).phase === 'Applied')
  check('by another process', (await other(before)) !== undefined, { before, now: await agents() })
  check('the configuration is there', readFileSync('/var/lib/kubelet/config.yaml', 'utf8').includes(`${maxPods}`))
  console.log(`${end} in the middle of a change`)
}
const kubelet = await services.show('kubelet.service')
check('the kubelet runs', kubelet.active === 'active' && kubelet.mainPid > 0, kubelet)

await run('/bin/sh', ['-c', AGENT_COMMANDS[manager].does('stop')])
await until(async () => (await agents()).length === 0, 'the agent stops')
await sleep(5000)
check('it stays stopped', (await agents()).length === 0)
check('the kubelet goes on', (await services.show('kubelet.service')).mainPid === kubelet.mainPid)
await run('/bin/sh', ['-c', AGENT_COMMANDS[manager].does('start')])
check('it works again', (await assign(80)).phase === 'Applied')
await run('/bin/sh', ['-c', AGENT_COMMANDS[manager].does('stop')])
await services.stop('kubelet.service')
clearInterval(beats)
await server.close()
console.log(`the agent's service holds under ${manager}`)
process.exit(0)

async function assign(maxPods: number): Promise<AgentStatus> {
  const config = `apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nfailCgroupV1: false\nmaxPods: ${maxPods}\n`
  const host = JSON.stringify({ kubelet: { layout: 'managed' } })
  const digest = contentDigest({ config, host })
  const id = digest.slice(3, 13)
  const configMap = (name: string, data: object) =>
    send('POST', 'namespaces/nodewave-system/configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data })
  await configMap(`kubelet-${id}`, { kubelet: config })
  await configMap(`host-${id}`, { host })
  const desired = { KUBELET_CONFIG: `kubelet-${id}`, HOST_CONFIG: `host-${id}`, DIGEST: digest, GRANT: 'restart' } as const
  await send('PATCH', `nodes/${node}`, { metadata: { annotations: { [names.desiredConfig]: formatDesiredConfig(desired) } } })
  let last: AgentStatus | undefined
  await until(async () => {
    last = await status()
    return last?.digest === digest && ['Applied', 'RolledBack', 'Failed'].includes(last.phase)
  }, 'the assignment ends')
  return last as AgentStatus
}

async function status(): Promise<AgentStatus | undefined> {
  const { metadata } = (await send('GET', `nodes/${node}`)) as { metadata: { annotations?: Record<string, string> } }
  return parseAgentStatus(metadata.annotations?.[names.status])
}

/** What a kubelet would tell. */
async function beat(): Promise<void> {
  const now = new Date().toISOString()
  const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: now, lastTransitionTime: now }]
  await send('PATCH', `nodes/${node}/status`, {
    status: { conditions, nodeInfo: { kubeletVersion: 'v1.35.4', architecture: 'amd64' } },
  })
}

async function send(method: string, path: string, body?: object): Promise<unknown> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const answer = await fetch(new URL(path, url), {
    method,
    headers: { 'content-type': type },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!answer.ok && answer.status !== 409) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

async function agents(): Promise<number[]> {
  const { stdout } = await run('pgrep', ['-f', '^/opt/nodewave/current/node .*/opt/nodewave/current/nodewave-agent.mjs']).catch(
    () => ({
      stdout: '',
    }),
  )
  return stdout.trim().split('\n').filter(Boolean).map(Number)
}

async function other(before: number): Promise<number | undefined> {
  return (await agents()).find((pid) => pid !== before)
}

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  for (let look = 0; look < 1800; look++) {
    if (await holds()) return
    await sleep(100)
  }
  throw new Error(`${what}: does not hold: ${JSON.stringify(await status().catch(String))}`)
}
