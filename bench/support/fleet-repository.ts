import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { cloneWith, type GitWorkspace } from '../../src/demo/git-workspace.ts'
import { startGitServer } from '../../src/sim/git-server.ts'
import { HOME } from './cluster.ts'

/** The example fleet in a Git repository over smart HTTP, with a clone to commit in. Nothing soaks: that would be all we measured. */
export interface FleetRepository extends AsyncDisposable {
  readonly url: string
  readonly git: GitWorkspace
}

export async function startFleetRepository(folder: string): Promise<FleetRepository> {
  const root = join(folder, 'git')
  await mkdir(root)
  const server = await startGitServer({ root })
  const url = await server.createRepository('fleet.git')
  const git = await cloneWith(url, { folder: join(folder, 'fleet'), content: join(HOME, 'examples/repo') })
  for (const pool of ['control-plane', 'gpu', 'workers']) await git.edit(`pools/${pool}.yaml`, 'soak: 10m', 'soak: 0s')
  for (const pool of ['gpu', 'workers']) await git.edit(`pools/${pool}.yaml`, 'soak: 5m', 'soak: 0s')
  return { url, git, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/** A commit that changes what every node is to become; `number` counts from 0. */
export async function changeAllNodes(git: GitWorkspace, number: number): Promise<string> {
  const size = (mebibytes: number): string => `containerLogMaxSize: ${mebibytes}Mi`
  await git.edit('config/base.yaml', size(50 + number), size(51 + number))
  return git.commit(`config: ${size(51 + number)}`)
}
