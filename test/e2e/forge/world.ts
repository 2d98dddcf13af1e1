/** A cluster of nodes that are only objects, a Gitea, and a controller that follows a repository in it. */
import { writeFile } from 'node:fs/promises'
import { startInstantAgents } from '../../../bench/support/instant-agents.ts'
import { createKubeClient } from '../../../src/kube/kube-client.ts'
import { loadKubeconfig } from '../../../src/kube/kubeconfig.ts'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Daemon } from '../cluster/daemon.ts'
import { agentsKubeconfig, createKwokNodes } from '../cluster/kwok.ts'
import { waitUntil } from '../cluster/wait.ts'
import { type ForgeRepository, forgeRepository } from '../gitea/forge-repository.ts'
import { type Gitea, startGitea } from '../gitea/gitea.ts'
import { installManifests } from '../product/controller.ts'
import { type FleetOptions, fleetFiles } from '../product/fleet.ts'
import { addWebhook, forgeFiles, startForgeController } from '../product/forge-controller.ts'
import { completed, waitPool } from '../product/pool.ts'
import type { Report } from '../scenario.ts'

export interface World {
  readonly cluster: Cluster
  readonly gitea: Gitea
  readonly repository: ForgeRepository
  /** The one that runs now. */
  controller: Daemon
  /** Commits whose content fails on every node. */
  readonly failing: Set<string>
  /** Files of a fleet that differs by its number of pods. */
  fleet(maxPods: number, more?: Partial<FleetOptions>): Promise<Record<string, string>>
  settled(commit: string): Promise<void>
  /** Waits until the forge shows it beside the commit; gives all that it showed, the oldest first. */
  shows(commit: string, state: string): Promise<readonly string[]>
}

export const CONTEXT = 'nodewave/workers'
const nodes = 10
export const atOnce = { maxUnavailable: '100%', waves: [{ name: 'all', nodes: '100%' }] }

export async function forgeWorld(cluster: Cluster, { part }: Report, signal: AbortSignal): Promise<World> {
  const gitea = await part('Gitea up', () => startGitea(cluster))
  const repository = await forgeRepository(cluster, gitea, 'fleet')
  await installManifests(cluster)
  const failing = new Set<string>()
  await part(`${nodes} kwok nodes`, () => startNodes(cluster, { nodes, failing, signal }))
  await writeFile(forgeFiles(cluster).token, await gitea.token('controller', ['write:repository']), { mode: 0o600 })
  await addWebhook(cluster, gitea, repository)
  const fleet = async (maxPods: number, more: Partial<FleetOptions> = {}) =>
    fleetFiles(cluster, { version: versions.olderKubelet, config: { maxPods }, rollout: atOnce, ...more })
  await repository.push(await fleet(70), 'the fleet')
  return {
    ...{ cluster, gitea, repository, failing, fleet },
    controller: await startForgeController(cluster, { gitea, repository }),
    async settled(commit) {
      await waitPool(cluster, { for: `Ready at ${commit}`, when: completed(commit) })
    },
    async shows(commit, state) {
      const ofPool = async () => (await repository.statuses(commit)).filter(({ context }) => context === CONTEXT)
      const rows = await waitUntil(
        async () => {
          const found = await ofPool()
          return found[0]?.status === state && found
        },
        { for: `Gitea to show ${state} beside ${commit}`, everyMs: 200 },
      )
      return rows.map(({ status }) => status).reverse()
    },
  }
}

export interface FakeNodes {
  readonly nodes: number
  readonly failing: ReadonlySet<string>
  readonly signal: AbortSignal
}

/** Nodes that are only objects, with agents. */
export async function startNodes(cluster: Cluster, { nodes, failing, signal }: FakeNodes): Promise<void> {
  const { names } = await createKwokNodes(cluster, { nodes, version: versions.olderKubelet })
  const kube = createKubeClient(await loadKubeconfig(await agentsKubeconfig(cluster)))
  const fails = (assignment: string) => [...failing].some((commit) => assignment.includes(commit))
  startInstantAgents(kube, { nodes: names, signal, fails })
}
