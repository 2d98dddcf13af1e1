/** nodewave on a cluster: manifests, an agent in each node, a controller that follows a repository. */
import { bundleAgent } from '../../../scripts/bundle-agent.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Daemon } from '../cluster/daemon.ts'
import type { GitRepository } from '../git/repository.ts'
import { installAgent } from './agent.ts'
import { type ControllerOptions, installManifests, startController } from './controller.ts'
import { type FleetOptions, fleetFiles } from './fleet.ts'
import { completed, waitPool } from './pool.ts'

export interface Product {
  readonly repository: GitRepository
  /** The one that runs now; whoever starts another puts it here. */
  controller: Daemon
  /** `git push` of a fleet; gives the commit. */
  push(fleet: FleetOptions, message: string): Promise<string>
  /** Push and wait until every node has it; where scenarios begin. Gives the commit. */
  settle(fleet: FleetOptions): Promise<string>
  /** Every agent has proved the content of this commit, which may be that of an earlier one. */
  settled(commit: string): Promise<void>
  /** Start another controller, with a directory of its own when the old one's disk is lost, and with more arguments. */
  restartController(stateDirectory?: string, args?: readonly string[]): Promise<void>
  /** Start one more beside it, with a directory of its own. */
  addController(name: string): Promise<Daemon>
}

const products = new WeakMap<Cluster, Promise<Product>>()

/**
 * Installed on first use, so every scenario can run alone and those that share a cluster share it. Nothing is pushed yet.
 * @param options.agents false: the scenario brings them to the nodes itself
 */
export function productOn(cluster: Cluster, { agents = true } = {}): Promise<Product> {
  const product = products.get(cluster) ?? install(cluster, agents)
  products.set(cluster, product)
  return product
}

async function install(cluster: Cluster, agents: boolean): Promise<Product> {
  const parts = [cluster.repository('fleet'), bundleAgent(cluster.slot.dir), installManifests(cluster)] as const
  const [repository, bundle] = await Promise.all(parts)
  if (agents) await Promise.all(cluster.nodes.map((node) => installAgent(node, { bundle })))
  const start = ({ args = [], ...more }: Pick<ControllerOptions, 'stateDirectory' | 'name' | 'args'> = {}) =>
    startController(cluster, {
      repository: repository.url,
      args: ['--poll=1s', ...args],
      ...more,
    })
  const push = async (fleet: FleetOptions, message: string) => repository.push(await fleetFiles(cluster, fleet), message)
  const settled = async (commit: string) => {
    await waitPool(cluster, { for: `Ready at ${commit}`, when: completed(commit) })
  }
  const product: Product = {
    repository,
    controller: await start(),
    push,
    settled,
    async settle(fleet) {
      const commit = await push(fleet, `kubelet ${fleet.version ?? 'as it is'}`)
      await settled(commit)
      return commit
    },
    async restartController(stateDirectory, args = []) {
      product.controller = await start({ args, ...(stateDirectory === undefined ? {} : { stateDirectory }) })
    },
    addController: (name) => start({ name }),
  }
  return product
}
