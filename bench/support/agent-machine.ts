/** A directory that stands for a kubeadm node, and the agent on it, as a host gets it. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { agentProgram, unitFlags } from '../../scripts/agent-program.ts'
import { bundleAgent } from '../../scripts/bundle-agent.ts'
import type { KubeObject } from '../../src/kube/kube-api.ts'
import { type AgentStatus, parseAgentStatus } from '../../src/protocol/agent-status.ts'
import { contentDigest, type NodeContent } from '../../src/protocol/digest.ts'
import { namesFor } from '../../src/protocol/names.ts'
import { type Cluster, whenSeen } from './cluster.ts'
import { aNode, register } from './nodes.ts'

/** Long enough for V8 to have given back what the work took; it collects once more later than 20 seconds after it. */
export const IDLE = 40_000
const names = namesFor()

export interface Machine {
  readonly name: string
  readonly root: string
}

export interface RunningAgent extends AsyncDisposable {
  readonly pid: number
  /** Its log, as text. */
  readonly log: Readable
}

/** A directory like the root of a node that kubeadm made. */
export async function furnish(cluster: Cluster, name: string): Promise<Machine> {
  const root = join(cluster.folder, name)
  await mkdir(join(root, 'var/lib/kubelet'), { recursive: true })
  await mkdir(join(root, 'etc/default'), { recursive: true })
  await writeFile(join(root, 'etc/default/kubelet'), 'KUBELET_EXTRA_ARGS=\n')
  await writeFile(join(root, 'var/lib/kubelet/kubeadm-flags.env'), 'KUBELET_KUBEADM_ARGS=""\n')
  const config = ['apiVersion: kubelet.config.k8s.io/v1beta1', 'kind: KubeletConfiguration']
  await writeFile(join(root, 'var/lib/kubelet/config.yaml'), `${config.join('\n')}\n`)
  return { name, root }
}

interface Assigned {
  readonly name: string
  readonly content: NodeContent
  /** What the annotation names the content by. */
  readonly named: object
}

/** Its Node, which already has an assignment. */
export async function registerAssigned(cluster: Cluster, assigned: Assigned): Promise<void> {
  const node = aNode({ name: assigned.name, labels: {} })
  await register(cluster.kube, [{ ...node, metadata: { ...node.metadata, annotations: annotationOf(assigned) } }])
}

export async function assign({ kube }: Cluster, assigned: Assigned): Promise<void> {
  await kube.patch(`/api/v1/nodes/${assigned.name}`, { metadata: { annotations: annotationOf(assigned) } })
}

function annotationOf({ content, named }: Assigned): Record<string, string> {
  return { [names.desiredConfig]: JSON.stringify({ ...named, DIGEST: contentDigest(content), GRANT: 'restart' }) }
}

export function whenStatus({ kube }: Cluster, name: string, wanted: (status: AgentStatus) => boolean): Promise<number> {
  const reports = ({ metadata }: KubeObject): boolean => {
    const status = metadata.name === name ? parseAgentStatus(metadata.annotations?.[names.status]) : undefined
    return status !== undefined && wanted(status)
  }
  return whenSeen(kube, { path: '/api/v1/nodes', wanted: reports })
}

/** When the agent asks for it: below a root that is not the machine's, it only says so. */
export async function whenRestarted({ log }: RunningAgent): Promise<number> {
  for (let said = ''; !said.includes('restart kubelet.service'); ) said += String((await once(log, 'data'))[0])
  return performance.now()
}

const ROOT = join(import.meta.dirname, '../..')

/** Of node, as the unit of `deploy/` has them. */
export const nodeFlags: readonly string[] = unitFlags(ROOT)

/** As the unit of `deploy/` gives it; none of this shell's. */
const environment = Object.fromEntries(
  [...readFileSync(join(ROOT, 'deploy/nodewave-agent.service'), 'utf8').matchAll(/^Environment=(\w+)=(\S+)$/gm)].map(
    ([, name = '', value = '']) => [name, value],
  ),
)

/** The agent as a host gets it, in `folder`. @returns the path of what Node starts */
export async function writeProgram(folder: string): Promise<string> {
  const files = await agentProgram({ root: ROOT, bundle: await bundleAgent(folder), node: process.execPath })
  await mkdir(join(folder, 'program'))
  for (const { name, content } of files) await writeFile(join(folder, 'program', name), content)
  return join(folder, 'program/nodewave-agent.mjs')
}

export interface AgentPlace {
  readonly cluster: Cluster
  /** Path of the file that Node starts. */
  readonly program: string
  /** From a server with the certificate of the cluster. */
  readonly isDownloading?: boolean
}

export function startAgent({ name, root }: Machine, place: AgentPlace): RunningAgent {
  const { program, cluster, isDownloading = false } = place
  // Of where it downloads from; to the API server's it is pointed by the kubeconfig.
  const trust = isDownloading && cluster.certificate && { NODE_EXTRA_CA_CERTS: cluster.certificate.caFile }
  const args = [program, '--kubeconfig', cluster.kubeconfig, '--node-name', name, '--root', root, '--trial', '0']
  const child: ChildProcessByStdio<null, null, Readable> = spawn(process.execPath, [...nodeFlags, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, ...trust, ...environment },
  })
  if (child.pid === undefined) throw new Error(`start the agent "${program}": no process`)
  child.stderr.resume()
  return {
    pid: child.pid,
    log: child.stderr,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
