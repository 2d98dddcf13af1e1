/** `nodewave plan --pr`, as the CI example for Gitea runs it. */
import { readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { kubeletVersions } from '../build/layers.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { type RunResult, run } from '../exec.ts'
import type { ForgeRepository } from '../gitea/forge-repository.ts'
import type { Gitea } from '../gitea/gitea.ts'
import { checkout } from './checkout.ts'

interface Example {
  readonly jobs: { readonly plan: { readonly steps: readonly { readonly name?: string; readonly run?: string }[] } }
}

/** What the step of the example says, with the folder of the tests' fleet. */
async function commandOfExample(): Promise<string> {
  const { jobs } = parse(await readFile(join(checkout, 'examples/ci/gitea/plan.yml'), 'utf8')) as Example
  const command = jobs.plan.steps.find(({ name }) => name === 'plan')?.run
  if (command === undefined) throw new Error('the CI example for Gitea has no step "plan"')
  return command.replace('plan fleet ', 'plan . ')
}

export interface PlanJob {
  readonly gitea: Gitea
  readonly repository: ForgeRepository
  readonly number: number
  readonly token: string
}

/** In a folder that is no clone at all: with a file of nodes, and what Gitea tells a job. */
export async function runPlanJob(cluster: Cluster, { gitea, repository, number, token }: PlanJob): Promise<RunResult> {
  const dir = cluster.slot.dir
  await writeFile(join(dir, 'nodes.json'), await cluster.kubectl(['get', 'nodes', '-o', 'json']))
  await placeKubelets(cluster)
  const event = { pull_request: { html_url: `${gitea.url}/${repository.name}/pulls/${number}` } }
  await writeFile(join(dir, 'event.json'), JSON.stringify(event))
  const program = `nodewave() { "${process.execPath}" "${join(checkout, 'bin/nodewave.js')}" "$@"; }`
  return run('bash', ['-ec', `${program}\n${await commandOfExample()}`], {
    cwd: dir,
    allowFailure: true,
    timeoutMs: 120_000,
    env: {
      KUBELET_VERSIONS: kubeletVersions.join(' '),
      NODEWAVE_FORGE_TOKEN: token,
      NODE_EXTRA_CA_CERTS: gitea.caFile,
      GITEA_ACTIONS: 'true',
      GITHUB_SERVER_URL: gitea.url,
      GITHUB_REPOSITORY: repository.name,
      GITHUB_EVENT_PATH: join(dir, 'event.json'),
    },
  })
}

/** As the step before it leaves them: nothing is to be had from dl.k8s.io here. */
async function placeKubelets({ slot, binary }: Cluster): Promise<void> {
  for (const version of kubeletVersions) {
    const path = join(slot.dir, `kubelet-${version}`)
    await rm(path, { force: true })
    await symlink(binary('kubelet', version), path)
  }
}
