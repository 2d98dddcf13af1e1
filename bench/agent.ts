/**
 * `node bench/agent.ts`: the agent on a directory that stands for a kubeadm node, against the embedded API server over HTTPS.
 * Medians. Start to first patch: from the start of the process until the API server shows that the assignment was taken; a bare Node that patches
 * at once is the floor of that, with what this bench and its server take. Memory: of an agent
 * that has applied a configuration and then had nothing to do for 40 seconds. Nothing of this machine is touched.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { furnish, IDLE, type Machine, registerAssigned, startAgent, whenStatus, writeProgram } from './support/agent-machine.ts'
import { startToBarePatch } from './support/bare-patch.ts'
import { startCluster } from './support/cluster.ts'
import { type ProcessUsage, usageOf } from './support/process-usage.ts'
import { median, print, readOptions } from './support/report.ts'

const STARTS = 9
const IDLE_RUNS = 10
const CONFIG_MAP = 'workers-kubelet-bench'

const options = readOptions()
await using cluster = await startCluster({ https: true })
const place = { cluster, program: await writeProgram(cluster.folder) }
const data = { 'kubelet-flags': '--v=3', kubelet: JSON.stringify({ maxPods: 150 }) }
await cluster.kube.create('/api/v1/namespaces/nodewave-system/configmaps', {
  metadata: { name: CONFIG_MAP },
  data,
  immutable: true,
})

const starts: number[] = []
const floors: number[] = []
for (let run = 0; run < STARTS; run++) {
  starts.push(await startToFirstPatch(`start-${run}`))
  floors.push(await startToBarePatch(cluster, `start-${run}`))
}
// All at once: what else the machine does disturbs times, but not memory.
const idle = await Promise.all(Array.from({ length: IDLE_RUNS }, (_, run) => usageWhenIdle(`idle-${run}`)))
print(
  [
    { name: 'agent: start to first patch', value: median(starts), unit: 'ms', aim: 150 },
    { name: 'agent: start to first patch, fastest', value: Math.min(...starts), unit: 'ms' },
    { name: 'bare Node: start to a patch over TLS', value: median(floors), unit: 'ms' },
    { name: 'bare Node: start to a patch over TLS, fastest', value: Math.min(...floors), unit: 'ms' },
    { name: 'agent: anonymous memory, idle', value: median(idle.map(({ anonymous }) => anonymous)), unit: 'MB', aim: 16.6 },
    { name: 'agent: resident memory, idle', value: median(idle.map(({ resident }) => resident)), unit: 'MB', aim: 59 },
    { name: 'agent: CPU until idle', value: median(idle.map(({ cpu }) => cpu)), unit: 'ms' },
  ],
  options,
)

async function startToFirstPatch(name: string): Promise<number> {
  const machine = await prepareMachine(name)
  const taken = whenStatus(cluster, name, () => true)
  const start = performance.now()
  await using _agent = startAgent(machine, place)
  return (await taken) - start
}

async function usageWhenIdle(name: string): Promise<ProcessUsage> {
  const machine = await prepareMachine(name)
  const applied = whenStatus(cluster, name, ({ phase }) => phase === 'Applied')
  await using agent = startAgent(machine, place)
  await applied
  await sleep(IDLE)
  return usageOf(agent.pid)
}

async function prepareMachine(name: string): Promise<Machine> {
  const content = { flags: data['kubelet-flags'], config: data.kubelet }
  await registerAssigned(cluster, { name, content, named: { KUBELET_CONFIG: CONFIG_MAP } })
  return furnish(cluster, name)
}
