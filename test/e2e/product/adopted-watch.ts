/** What a person has open beside the terminal: the dashboard as themselves, and the metrics of the controller that leads. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Cluster } from '../cluster/cluster.ts'
import { waitUntil } from '../cluster/wait.ts'
import type { Workstation } from './page-commands.ts'

export interface Started extends AsyncDisposable {
  /** What the program says of where it is. */
  readonly found: string
}

/** A program that says in its output where it is, and runs until the end of the scope. */
async function started(child: ChildProcess, said: RegExp): Promise<Started> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (part) => {
      text += part
      const [, found] = said.exec(text) ?? []
      if (found) resolve(found)
    })
  const ended = once(child, 'close')
  ended.then(() => reject(new Error(`it ended: ${text}`)))
  return {
    found: await promise,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGINT')
      await ended
    },
  }
}

/** `nodewave dashboard`. */
export function startDashboardOf({ folder, env }: Workstation): Promise<Started> {
  const child = spawn(join(folder, 'bin/nodewave'), ['dashboard', '--port', '0'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  return started(child, /^(http:\/\/localhost:\d+\/#key=\S+)\n/)
}

const system = ['-n', 'nodewave-system']

/** The pod of the controller that leads. */
async function leaderOf(cluster: Cluster): Promise<string> {
  const holder = await cluster.kubectl([
    ...system,
    'get',
    'lease',
    'nodewave-controller',
    '-o',
    'jsonpath={.spec.holderIdentity}',
  ])
  return holder.replace(/_[^_]*$/, '')
}

/** Where the controller that leads runs: when the kubelet there restarts, connections to its pods by way of the API server are cut. */
export async function nodeOfLeader(cluster: Cluster): Promise<string> {
  return cluster.kubectl([...system, 'get', 'pod', await leaderOf(cluster), '-o', 'jsonpath={.spec.nodeName}'])
}

/** Until the metrics of the leader have said each of these at some time. */
export async function metricsSay(cluster: Cluster, lines: readonly string[]): Promise<void> {
  const open = new Set(lines)
  const all = async () => {
    for (const line of await linesOf(cluster)) open.delete(line)
    return open.size === 0
  }
  await waitUntil(all, { for: `the metrics to say ${lines.join(', ')}`, everyMs: 200, timeoutMs: 240_000 })
}

/** @returns none while the leader cannot be reached */
async function linesOf(cluster: Cluster): Promise<string[]> {
  const args = [`--kubeconfig=${cluster.kubeconfig}`, ...system, 'port-forward', `pod/${await leaderOf(cluster)}`, ':8080']
  const child = spawn(cluster.binary('kubectl'), args, { stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    await using forward = await started(child, /Forwarding from (127\.0\.0\.1:\d+) /)
    return (await (await fetch(`http://${forward.found}/metrics`)).text()).split('\n')
  } catch {
    return []
  }
}
