/** A repository in Gitea with a clone of it, and what people do with both. */
import { join } from 'node:path'
import type { Cluster } from '../cluster/cluster.ts'
import { waitUntil } from '../cluster/wait.ts'
import { type GitRepository, workingCopy } from '../git/repository.ts'
import type { Gitea } from './gitea.ts'

export interface ForgeRepository extends GitRepository {
  /** `owner/name`. */
  readonly name: string
  /** Pushes the files as a branch of its own, and opens a pull request from it; gives its number. */
  propose(branch: string, files: Readonly<Record<string, string | undefined>>): Promise<number>
  /** The same with `git revert` of a merge. */
  proposeRevert(branch: string, merge: string): Promise<number>
  /** Pushes one more commit to a branch. */
  addTo(branch: string, files: Readonly<Record<string, string | undefined>>): Promise<void>
  /** Folder of the keys that `git commit -S` finds. */
  readonly signers: string
  /** Merges it; gives the commit. What Gitea answers otherwise is an error. */
  merge(number: number): Promise<string>
  /** The status that Gitea answers to a merge. */
  tryMerge(number: number): Promise<number>
  statuses(commit: string): Promise<readonly CommitStatusRow[]>
}

/** As Gitea lists it, the newest first. */
export interface CommitStatusRow {
  readonly context: string
  readonly status: string
  readonly description: string
}

export async function forgeRepository(cluster: Cluster, gitea: Gitea, name: string): Promise<ForgeRepository> {
  const { api, user } = gitea
  const path = `/repos/${user}/${name}`
  await api.ask('/user/repos', { method: 'POST', body: { name, private: true, default_branch: 'main' } })
  const url = `${gitea.url}/${user}/${name}.git`
  const signers = join(cluster.slot.dir, 'gnupg')
  const env = { ...gitEnvironment(gitea, await gitea.token(`push-${name}`, ['write:repository'])), GNUPGHOME: signers }
  const copy = await workingCopy({ url, clone: join(cluster.slot.dir, 'clones', name), env })
  const tryMerge = async (number: number): Promise<number> => {
    let status = 0
    // Just after a push Gitea computes whether it can be merged, and says so with the status of a refusal.
    await waitUntil(
      async () => {
        const answer = await api.send<{ message?: string }>(`${path}/pulls/${number}/merge`, {
          method: 'POST',
          body: { Do: 'merge' },
        })
        status = answer.status
        return !/try again later/i.test(answer.body?.message ?? '')
      },
      { for: `pull request ${number} to be mergeable or not`, everyMs: 250 },
    )
    return status
  }
  const onBranch = async (branch: string, work: () => Promise<unknown>): Promise<void> => {
    await copy.git(['checkout', '--quiet', '-B', branch])
    await work()
    await copy.git(['checkout', '--quiet', 'main'])
  }
  const open = async (branch: string): Promise<number> => {
    const body = { title: branch, head: branch, base: 'main' }
    return (await api.ask<{ number: number }>(`${path}/pulls`, { method: 'POST', body })).number
  }
  return {
    ...{ ...copy, name: `${user}/${name}`, signers, tryMerge },
    async propose(branch, files) {
      await onBranch(branch, () => copy.push(files, branch))
      return open(branch)
    },
    async proposeRevert(branch, merge) {
      await onBranch(branch, async () => {
        await copy.git(['revert', '--no-edit', '-m', '1', merge])
        await copy.publish()
      })
      return open(branch)
    },
    async addTo(branch, files) {
      await copy.git(['checkout', '--quiet', branch])
      await copy.push(files, `more on ${branch}`)
      await copy.git(['checkout', '--quiet', 'main'])
    },
    async merge(number) {
      const status = await tryMerge(number)
      if (status !== 200) throw new Error(`merge pull request ${number}: HTTP ${status}`)
      await copy.git(['pull', '--quiet', '--ff-only', 'origin', 'main'])
      return copy.git(['rev-parse', 'HEAD'])
    },
    statuses: (commit) => api.ask(`${path}/commits/${commit}/statuses?sort=leastindex&limit=50`),
  }
}

/** The token stands in no list of processes. */
function gitEnvironment({ caFile, user }: Gitea, token: string): Readonly<Record<string, string>> {
  const basic = Buffer.from(`${user}:${token}`).toString('base64')
  return {
    GIT_SSL_CAINFO: caFile,
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic}`,
  }
}
