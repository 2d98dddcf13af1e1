/** A whole cluster, from nothing to Ready nodes, and away again. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { buildArtifacts } from '../artifacts/artifacts.ts'
import { buildBinaries, type FindBinary } from '../build/binaries.ts'
import type { RpmManager } from '../build/rpm-root.ts'
import { versions } from '../build/versions.ts'
import { output, type RunOptions, run } from '../exec.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'
import { startControllers } from './controllers.ts'
import { type Daemon, type DaemonOptions, startDaemon } from './daemon.ts'
import { joinNode } from './join.ts'
import type { KubeletLayout } from './kubelet-layout.ts'
import type { Node } from './node.ts'
import { nodePlace } from './node-files.ts'
import { note } from './record.ts'
import { type Servers, startServers } from './servers.ts'
import { claimSlot, type Slot } from './slot.ts'
import { abandon, teardown } from './teardown.ts'

export interface NodeSpec {
  /** Version of the kubelet it starts with; the older one unless told otherwise. */
  readonly version?: string
  readonly layout?: KubeletLayout
  /** Install the kubelet with apt, and hold it, instead of laying its binary there; or with dnf or zypper, on a host whose packages are rpm's. */
  readonly packaged?: boolean | RpmManager
}

export interface ClusterOptions {
  readonly nodes: readonly NodeSpec[]
  /** Seconds after which a node without a heartbeat is not Ready; absent: as Kubernetes has it. */
  readonly heartbeatsWithin?: number
  /** The cores that the control plane may use, as `taskset --cpu-list` reads them; absent: all. */
  readonly controlPlaneCores?: string | undefined
  /** Told what has happened, as it happens. */
  readonly progress?: (what: string) => void
}

export interface Cluster extends ControlPlane, Servers, AsyncDisposable {
  readonly slot: Slot
  /** n1, n2, … in the order in which they were asked for. */
  readonly nodes: readonly Node[]
  node(name: string): Node
  /** What kubectl prints, as administrator. */
  kubectl(args: readonly string[], options?: RunOptions): Promise<string>
  /** Path of a binary that was built for it. */
  readonly binary: FindBinary
  /** Run a program beside the cluster; it ends with it. */
  daemon(options: DaemonOptions): Daemon
  /** Make or change objects from YAML text. */
  apply(manifest: string): Promise<void>
}

export async function createCluster({
  nodes: specs,
  heartbeatsWithin,
  controlPlaneCores: cores,
  progress = () => undefined,
}: ClusterOptions): Promise<Cluster> {
  const find = await buildBinaries('all', progress)
  const artifacts = await buildArtifacts(find)
  const slot = await claimSlot()
  try {
    await mkdir(join(slot.dir, 'logs'))
    await createBridge(slot)
    const servers = startServers(slot, artifacts)
    const plane = await startControlPlane(slot, { binary: find, address: slot.host, port: 6443, heartbeatsWithin, cores })
    const apiReady = plane.waitReady().then(() => progress('API server ready'))
    const all = specs.map((_, index) => nodePlace(slot, index + 1))
    const joined = all.map((place, index) => {
      const { version = versions.olderKubelet, layout = 'kubeadm', packaged = false } = specs[index] ?? {}
      return joinNode(slot, { place, all, layout, version, packaged, find, plane, apiReady, servers })
    })
    const controllers = apiReady.then(() => startControllers(plane))
    const [nodes, started] = await Promise.all([Promise.all(joined), servers, controllers])
    progress('kubelets and controllers started')
    await Promise.all(nodes.filter(({ layout }) => layout !== 'bare').map((node) => node.waitReady()))
    progress('nodes Ready')
    return facade({ slot, plane, nodes, servers: started, find })
  } catch (error) {
    await abandon(slot)
    throw error
  }
}

async function createBridge({ bridge, host, ...slot }: Slot): Promise<void> {
  note({ bridge, host, ...slot }, { kind: 'link', name: bridge })
  await run('ip', ['link', 'add', bridge, 'type', 'bridge'])
  await run('ip', ['addr', 'add', `${host}/24`, 'dev', bridge])
  await run('ip', ['link', 'set', bridge, 'up'])
}

interface Parts {
  readonly slot: Slot
  readonly plane: ControlPlane
  readonly servers: Servers
  readonly nodes: readonly Node[]
  readonly find: FindBinary
}

function facade({ slot, plane, servers, nodes, find }: Parts): Cluster {
  const command = (args: readonly string[], options?: RunOptions) =>
    output(find('kubectl'), [`--kubeconfig=${plane.kubeconfig}`, ...args], options)
  return {
    ...plane,
    ...servers,
    slot,
    nodes,
    node(name) {
      const found = nodes.find((node) => node.name === name)
      if (found === undefined) throw new Error(`find node "${name}": there are ${nodes.map((node) => node.name).join(', ')}`)
      return found
    },
    kubectl: command,
    binary: find,
    daemon: (options) => startDaemon(slot, options),
    apply: async (manifest) => {
      await command(['apply', '-f', '-'], { input: manifest })
    },
    [Symbol.asyncDispose]: () => teardown(slot),
  }
}
