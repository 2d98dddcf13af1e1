/** The manifests in the cluster, and the controller as a process of ours, under the rights that the manifests give it. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { Cluster } from '../cluster/cluster.ts'
import type { Daemon } from '../cluster/daemon.ts'
import { waitUntil } from '../cluster/wait.ts'
import { checkout } from './checkout.ts'
import { controllerEnvironment } from './controller-environment.ts'

const namespace = 'nodewave-system'
const account = 'nodewave-controller'
/** Who the API server takes it for. */
export const CONTROLLER = `system:serviceaccount:${namespace}:${account}`

/** `kubectl apply -k deploy/`, without a warning of the API server's, such as that pods would break their namespace's rules. The Deployment goes again: no registry has its image, and scenarios kill the controller with -9. */
export async function installManifests(cluster: Cluster): Promise<void> {
  await cluster.kubectl(['apply', '--warnings-as-errors', '-k', join(checkout, 'deploy')])
  await cluster.kubectl(['-n', namespace, 'delete', 'deployment', account, '--wait=false'])
}

export interface ControllerOptions {
  /** URL of the fleet's repository. */
  readonly repository: string
  /** Its own directory; another one is a controller with an empty disk. */
  readonly stateDirectory?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Of its log and, unless stated, its directory; the default is `controller`. */
  readonly name?: string
}

export async function startController(cluster: Cluster, options: ControllerOptions): Promise<Daemon> {
  const { name = 'controller' } = options
  const state = options.stateDirectory ?? join(cluster.slot.dir, name)
  const program = [process.execPath, join(checkout, 'src/cli/main.ts'), 'controller']
  const args = [`--repo=${options.repository}`, '--branch=main', `--namespace=${namespace}`, `--state-dir=${state}`]
  const own = { KUBECONFIG: await accountKubeconfig(cluster), HOME: cluster.slot.dir }
  const env = { ...(await controllerEnvironment()), ...own, ...options.env }
  const controller = cluster.daemon({ name, command: [...program, ...args, ...(options.args ?? [])], env })
  // One that refuses its arguments is better told of here than by a scenario that waits for what it should do.
  const settled = () => controller.log().includes('following') || !controller.isRunning()
  await waitUntil(settled, { for: 'the controller to start' })
  if (!controller.isRunning()) throw new Error(`start the controller: it ended\n${controller.log()}`)
  return controller
}

/** With a token of its service account: what the manifests do not allow fails here as it would in a pod. */
async function accountKubeconfig(cluster: Cluster): Promise<string> {
  const token = await cluster.kubectl(['-n', namespace, 'create', 'token', account, '--duration=24h'])
  const path = join(cluster.slot.dir, 'nodewave-controller.conf')
  const { server, certificates } = cluster
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'e2e', cluster: { server, 'certificate-authority': certificates.caFile } }],
    users: [{ name: account, user: { token } }],
    contexts: [{ name: 'e2e', context: { cluster: 'e2e', user: account, namespace } }],
    'current-context': 'e2e',
  }
  await writeFile(path, stringify(config), { mode: 0o600 })
  return path
}
