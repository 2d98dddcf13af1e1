import { existsSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { type BootstrapPorts, bootstrap, type JoinedCluster } from '../agent/bootstrap/bootstrap.ts'
import type { AgentPorts } from '../agent/ports.ts'
import { createKubeClient } from '../kube/kube-client.ts'
import { loadKubeconfig } from '../kube/kubeconfig.ts'
import type { AgentArguments } from './agent-arguments.ts'

/**
 * A machine with nothing but a bootstrap token gets the credential of its kubelet, and a Node. The agent starts again with it as with any
 * other kubeconfig that appears.
 * @param at.kubeconfig where the credential goes; nothing is done when it is there
 */
export async function joinCluster(
  { bootstrapKubeconfig, nodeLabels, root, options }: AgentArguments,
  at: {
    readonly name: string
    readonly kubeconfig: string
    readonly ports: Pick<AgentPorts, 'files' | 'clock' | 'log'>
    readonly signal: AbortSignal
  },
): Promise<void> {
  const { name, kubeconfig, ports, signal } = at
  if (root !== '/' || existsSync(kubeconfig) || !existsSync(bootstrapKubeconfig)) return
  const ways: BootstrapPorts = {
    ...ports,
    connect: () => connectTo(bootstrapKubeconfig),
    connectAs: async (path) => (await connectTo(path)).kube,
  }
  const capacity = { cpu: String(cpus().length), memory: `${Math.floor(totalmem() / 1024)}Ki` }
  const node = { name, labels: nodeLabels, arch: options.arch, capacity }
  await bootstrap(node, { paths: { stateDirectory: options.stateDirectory, kubeconfig }, ports: ways, signal })
}

async function connectTo(path: string): Promise<JoinedCluster> {
  const connection = await loadKubeconfig(path)
  const { ca } = await connection.credentials()
  return { kube: createKubeClient(connection, { maxSockets: 1 }), server: connection.server, authority: ca }
}
