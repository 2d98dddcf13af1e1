/**
 * `node bench/agent-upgrade.ts`: the bundled agent brings another kubelet of 84 MB onto a directory that stands for a kubeadm node. Medians.
 * The kubelets are scripts with random bytes after them: they tell their version and accept what they are told to run with. Nothing of
 * this machine is touched, so nothing is restarted, and no health is waited for; the restart counts from when it would be ordered.
 */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bundleAgent } from '../scripts/bundle-agent.ts'
import { furnish, IDLE, type Machine, type RunningAgent, registerAssigned, startAgent, whenStatus } from './agent-machine.ts'
import { startCluster } from './support/cluster.ts'
import { type ProcessUsage, usageOf } from './support/process-usage.ts'
import { median, print, readOptions } from './support/report.ts'

const RUNS = 5
const SIZE = 84 * 1024 * 1024
const CONFIG_MAP = 'workers-host-bench'

const options = readOptions()
await using cluster = await startCluster()
const place = { cluster, bundle: await bundleAgent(cluster.folder) }
const [before, after] = [kubelet('v1.35.4'), kubelet('v1.36.3')]
const server = createServer((_, response) => response.end(after)).listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/kubelet`
const arch = process.arch === 'x64' ? 'amd64' : process.arch
const sha256 = createHash('sha256').update(after).digest('hex')
const host = JSON.stringify({ kubelet: { binary: { [arch]: { url, sha256 } } } })
await cluster.kube.create('/api/v1/namespaces/nodewave-system/configmaps', { metadata: { name: CONFIG_MAP }, data: { host } })

interface Upgrade extends ProcessUsage {
  readonly toRestart: number
  readonly toApplied: number
}

const runs: Upgrade[] = []
for (let run = 0; run < RUNS; run++) runs.push(await upgrade(`upgrade-${run}`))
server.close()
const over = (pick: (run: Upgrade) => number): number => median(runs.map(pick))
print(
  [
    { name: 'agent upgrade: taken to restart of the kubelet', value: over(({ toRestart }) => toRestart), unit: 'ms' },
    { name: 'agent upgrade: taken to applied', value: over(({ toApplied }) => toApplied), unit: 'ms' },
    { name: 'agent upgrade: anonymous memory, idle', value: over(({ anonymous }) => anonymous), unit: 'MB', aim: 25 },
    { name: 'agent upgrade: resident memory, idle', value: over(({ resident }) => resident), unit: 'MB', aim: 65 },
    { name: 'agent upgrade: resident memory, peak', value: over(({ peak }) => peak), unit: 'MB' },
    { name: 'agent upgrade: CPU until idle', value: over(({ cpu }) => cpu), unit: 'ms' },
  ],
  options,
)

async function upgrade(name: string): Promise<Upgrade> {
  const machine = await prepareMachine(name)
  const taken = whenStatus(cluster, name, (phase) => phase === 'Applying')
  const applied = whenStatus(cluster, name, (phase) => phase === 'Applied')
  await using agent = startAgent(machine, place)
  const restarted = whenRestarted(agent)
  const start = await taken
  const [restartedAt, appliedAt] = await Promise.all([restarted, applied])
  await sleep(IDLE)
  return { ...(await usageOf(agent.pid)), toRestart: restartedAt - start, toApplied: appliedAt - start }
}

async function whenRestarted({ log }: RunningAgent): Promise<number> {
  for (let said = ''; !said.includes('restart kubelet.service'); ) said += String((await once(log, 'data'))[0])
  return performance.now()
}

async function prepareMachine(name: string): Promise<Machine> {
  const content = { version: '1.36.3', host }
  await registerAssigned(cluster, { name, content, named: { KUBELET_VERSION: content.version, HOST_CONFIG: CONFIG_MAP } })
  const machine = await furnish(cluster, name)
  await mkdir(join(machine.root, 'usr/bin'), { recursive: true })
  await writeFile(join(machine.root, 'usr/bin/kubelet'), before, { mode: 0o755 })
  return machine
}

function kubelet(version: string): Buffer {
  const script = [
    '#!/bin/sh',
    `[ "$1" = --version ] && echo "Kubernetes ${version}" && exit`,
    'echo validate CRI v1 runtime API for endpoint >&2',
    'exit 1\n',
  ].join('\n')
  return Buffer.concat([Buffer.from(script), randomBytes(SIZE - script.length)])
}
