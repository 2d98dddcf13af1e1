/**
 * `node bench/agent-change.ts`: other flags for agents that are idle after their first assignment, each on a directory that stands for a kubeadm
 * node, against the embedded API server over HTTPS; one agent after the other. From the annotation being written until the agent asks for the
 * restart of the kubelet: watch, ConfigMap, comparison, preflight, journal and files. The kubelet is a script and nothing is restarted, so this is
 * the agent's own part, with the request of this bench and the answers of its server. Nothing of this machine is touched. A minute.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { contentDigest, type NodeContent } from '../src/protocol/digest.ts'
import {
  assign,
  furnish,
  IDLE,
  type RunningAgent,
  registerAssigned,
  startAgent,
  whenRestarted,
  whenStatus,
  writeProgram,
} from './support/agent-machine.ts'
import { startCluster } from './support/cluster.ts'
import { kubeletScript } from './support/kubelet-script.ts'
import { median, print, readOptions } from './support/report.ts'

const RUNS = 9

const options = readOptions()
await using cluster = await startCluster({ https: true })
const place = { cluster, program: await writeProgram(cluster.folder) }
const before = await assignable('workers-kubelet-before', '--v=2')
const after = await assignable('workers-kubelet-after', '--v=3')

await using agents = new AsyncDisposableStack()
const names = Array.from({ length: RUNS }, (_, run) => `change-${run}`)
// Their first work at the same time; nobody measures it.
const idle = await Promise.all(names.map(async (name) => ({ name, agent: agents.use(await anIdleAgent(name)) })))
await sleep(IDLE)
const runs: number[] = []
for (const { name, agent } of idle) runs.push(await change(name, agent))
print(
  [
    { name: 'agent: annotation to restart of the kubelet, own part', value: median(runs), unit: 'ms', aim: 300 },
    { name: 'agent: the same, fastest', value: Math.min(...runs), unit: 'ms' },
  ],
  options,
)

async function assignable(configMap: string, flags: string): Promise<{ content: NodeContent; named: object }> {
  const parts = { metadata: { name: configMap }, data: { 'kubelet-flags': flags }, immutable: true }
  await cluster.kube.create('/api/v1/namespaces/nodewave-system/configmaps', parts)
  return { content: { flags }, named: { KUBELET_CONFIG: configMap } }
}

async function anIdleAgent(name: string): Promise<RunningAgent> {
  await registerAssigned(cluster, { name, ...before })
  const machine = await furnish(cluster, name)
  await mkdir(join(machine.root, 'usr/bin'), { recursive: true })
  await writeFile(join(machine.root, 'usr/bin/kubelet'), kubeletScript('v1.35.4'), { mode: 0o755 })
  const applied = whenApplied(name, before.content)
  const agent = startAgent(machine, place)
  await applied
  return agent
}

async function change(name: string, agent: RunningAgent): Promise<number> {
  const [restarted, applied] = [whenRestarted(agent), whenApplied(name, after.content)]
  const start = performance.now()
  await assign(cluster, { name, ...after })
  const restartedAt = await restarted
  await applied
  return restartedAt - start
}

function whenApplied(name: string, content: NodeContent): Promise<number> {
  return whenStatus(cluster, name, ({ phase, digest }) => phase === 'Applied' && digest === contentDigest(content))
}
