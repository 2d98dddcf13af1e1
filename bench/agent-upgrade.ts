/**
 * `node bench/agent-upgrade.ts`: the agent, idle after its first assignment, brings another kubelet of 84 MB onto a directory that
 * stands for a kubeadm node, all over HTTPS. Medians. The kubelets are scripts with random bytes after them: they tell their version and
 * accept what they are told to run with. Nothing of this machine is touched, so nothing is restarted, and no health is waited for; the restart counts from
 * when it would be ordered.
 */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { contentDigest, type NodeContent } from '../src/protocol/digest.ts'
import {
  assign,
  furnish,
  IDLE,
  type Machine,
  registerAssigned,
  startAgent,
  whenRestarted,
  whenStatus,
  writeProgram,
} from './support/agent-machine.ts'
import { startCluster } from './support/cluster.ts'
import { kubeletScript } from './support/kubelet-script.ts'
import { type ProcessUsage, usageOf } from './support/process-usage.ts'
import { median, print, readOptions } from './support/report.ts'

const RUNS = 3
const SIZE = 84 * 1024 * 1024
const CONFIG_MAP = 'workers-host-bench'

const options = readOptions()
await using cluster = await startCluster({ https: true })
const place = { cluster, program: await writeProgram(cluster.folder) }
const [before, after] = [kubelet('v1.35.4'), kubelet('v1.36.3')]
const server = createServer({ ...cluster.certificate }, (_, response) => response.end(after)).listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/kubelet`
const arch = process.arch === 'x64' ? 'amd64' : process.arch
const sha256 = createHash('sha256').update(after).digest('hex')
const host = JSON.stringify({ kubelet: { binary: { [arch]: { url, sha256 } } } })
await cluster.kube.create('/api/v1/namespaces/nodewave-system/configmaps', { metadata: { name: CONFIG_MAP }, data: { host } })
const flags: NodeContent = { opts: '--v=3' }
const release: NodeContent = { version: '1.36.3', opts: '--v=3', host }

interface Upgrade {
  readonly toRestart: number
  readonly toApplied: number
  readonly idleBefore: ProcessUsage
  readonly idleAfter: ProcessUsage
}

const runs: Upgrade[] = []
for (let run = 0; run < RUNS; run++) runs.push(await upgrade(`upgrade-${run}`))
server.close()
const over = (pick: (run: Upgrade) => number): number => median(runs.map(pick))
print(
  [
    { name: 'agent upgrade: assigned to restart of the kubelet', value: over(({ toRestart }) => toRestart), unit: 'ms' },
    { name: 'agent upgrade: the same, fastest', value: Math.min(...runs.map(({ toRestart }) => toRestart)), unit: 'ms' },
    { name: 'agent upgrade: assigned to applied', value: over(({ toApplied }) => toApplied), unit: 'ms' },
    { name: 'agent upgrade: CPU', value: over(({ idleBefore, idleAfter }) => idleAfter.cpu - idleBefore.cpu), unit: 'ms' },
    { name: 'agent upgrade: anonymous memory, idle before', value: over((run) => run.idleBefore.anonymous), unit: 'MB' },
    { name: 'agent upgrade: anonymous memory, idle after', value: over((run) => run.idleAfter.anonymous), unit: 'MB', aim: 25 },
    { name: 'agent upgrade: resident memory, idle before', value: over((run) => run.idleBefore.resident), unit: 'MB' },
    { name: 'agent upgrade: resident memory, idle after', value: over((run) => run.idleAfter.resident), unit: 'MB', aim: 65 },
    { name: 'agent upgrade: resident memory, peak', value: over(({ idleAfter }) => idleAfter.peak), unit: 'MB' },
  ],
  options,
)

async function upgrade(name: string): Promise<Upgrade> {
  const machine = await prepareMachine(name)
  const prepared = whenApplied(name, flags)
  await using agent = startAgent(machine, { ...place, isDownloading: true })
  await prepared
  await sleep(IDLE)
  const idleBefore = await usageOf(agent.pid)
  const [restarted, applied] = [whenRestarted(agent), whenApplied(name, release)]
  const start = performance.now()
  const named = { KUBELET_VERSION: release.version, KUBELET_OPTS: release.opts, HOST_CONFIG: CONFIG_MAP }
  await assign(cluster, { name, content: release, named })
  const [restartedAt, appliedAt] = await Promise.all([restarted, applied])
  await sleep(IDLE)
  return { toRestart: restartedAt - start, toApplied: appliedAt - start, idleBefore, idleAfter: await usageOf(agent.pid) }
}

function whenApplied(name: string, content: NodeContent): Promise<number> {
  return whenStatus(cluster, name, ({ phase, digest }) => phase === 'Applied' && digest === contentDigest(content))
}

async function prepareMachine(name: string): Promise<Machine> {
  await registerAssigned(cluster, { name, content: flags, named: { KUBELET_OPTS: flags.opts } })
  const machine = await furnish(cluster, name)
  await mkdir(join(machine.root, 'usr/bin'), { recursive: true })
  await writeFile(join(machine.root, 'usr/bin/kubelet'), before, { mode: 0o755 })
  return machine
}

function kubelet(version: string): Buffer {
  const script = kubeletScript(version)
  return Buffer.concat([Buffer.from(script), randomBytes(SIZE - script.length)])
}
