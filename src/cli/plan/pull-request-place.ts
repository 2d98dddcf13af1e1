import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { type PullRequestPlace, readPullRequestUrl } from '../../forge/pull-request/pull-request-url.ts'
import type { CliIo } from '../cli-io.ts'

export interface PullRequestJob extends PullRequestPlace {
  /** Where people see the job; undefined outside of CI. */
  readonly job: string | undefined
}

type Env = CliIo['env']

/** What GitHub and Gitea tell a job of the pull request that it is for. */
const event = z.object({ pull_request: z.object({ html_url: z.string() }) })

/** @param url as given by a person, or `true`: the one that the CI job is for. @throws {Error} saying what to pass */
export async function pullRequestJob(url: string | true, env: Env): Promise<PullRequestJob> {
  const address = url === true ? await addressInCi(env) : url
  if (address === undefined)
    throw new Error('--pr finds no pull request in the environment: run it in a job for pull requests, or pass its URL')
  const place = readPullRequestUrl(address)
  if (place === undefined)
    throw new Error(
      `--pr "${address}": expected the URL of a pull request, such as https://github.com/OWNER/NAME/pull/12 (GitHub), ` +
        'https://HOST/OWNER/NAME/pulls/12 (Gitea, Forgejo) or https://HOST/GROUP/NAME/-/merge_requests/12 (GitLab)',
    )
  return { ...place, job: jobIn(env) }
}

async function addressInCi(env: Env): Promise<string | undefined> {
  const { CI_MERGE_REQUEST_PROJECT_URL: project, CI_MERGE_REQUEST_IID: iid, GITHUB_EVENT_PATH: path } = env
  if (project && iid) return `${project}/-/merge_requests/${iid}`
  if (!path) return undefined
  const told = event.safeParse(JSON.parse(await readFile(path, 'utf8')))
  return told.data?.pull_request.html_url
}

/** Gitea tells no job the address of its run. */
function jobIn(env: Env): string | undefined {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run, GITEA_ACTIONS: isGitea } = env
  if (!server || !repository) return env.CI_JOB_URL
  return isGitea || !run ? `${server}/${repository}/actions` : `${server}/${repository}/actions/runs/${run}`
}
