import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import type { CommitStatuses } from '../../forge/status/commit-status.ts'
import { githubStatuses } from '../../forge/status/github-statuses.ts'
import { gitlabStatuses } from '../../forge/status/gitlab-statuses.ts'
import { forgeUrl, repositoryName } from './forge-url.ts'
import { appTokens, type GithubAppOptions, githubApi } from './github-app-options.ts'

const FORGES = ['github', 'gitea', 'gitlab'] as const

export interface StatusOptions {
  readonly statusForge?: (typeof FORGES)[number]
  readonly statusTokenFile?: string
  readonly statusUrl?: string
  readonly statusRepository?: string
  readonly statusContext?: string
}

interface Subject extends GithubAppOptions {
  readonly cwd: string
  readonly repo: string
  readonly insecureHttp?: boolean
}

export interface StatusSettings {
  readonly statuses: CommitStatuses
  readonly prefix: string
}

export function addStatusOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--status-forge <forge>', 'show each pool beside its commits in this forge. Default: off').choices(FORGES),
    )
    .option('--status-token-file <file>', 'file with a token that may write statuses of commits')
    .option('--status-url <url>', 'URL of the API of the forge. Default: from --repo')
    .option('--status-repository <group/name>', 'the repository as its forge names it. Default: the path of --repo')
    .option(
      '--status-context <text>',
      'what the names of statuses begin with; the pool follows. One for each cluster',
      'nodewave',
    )
}

/** @returns undefined when no statuses are asked for. @throws {Error} saying which option is wrong or missing. */
export function statusesFor(options: StatusOptions & Subject): StatusSettings | undefined {
  const { statusForge, statusTokenFile, statusContext = 'nodewave', repo, cwd } = options
  if (statusForge === undefined) return undefined
  const app = statusForge === 'github' && statusTokenFile === undefined ? appTokens(options, { statuses: 'write' }) : undefined
  if (statusTokenFile === undefined && !app) throw new Error('--status-forge needs --status-token-file')
  const web = forgeUrl(repo)
  const base = options.statusUrl ?? (web && apiOf(statusForge, web))
  const repository = options.statusRepository ?? (web && repositoryName(web))
  if (base === undefined || repository === undefined)
    throw new Error('--status-forge with a --repo that is no URL needs --status-url and --status-repository')
  const url = base.replace(/\/+$/, '')
  if (!/^https?:\/\//.test(url)) throw new Error(`--status-url "${url}": expected a URL such as https://git.example.com/api/v1`)
  if (!url.startsWith('https:') && !options.insecureHttp)
    throw new Error(`refuse to send the token to "${url}", which everybody on the way can read; use https, or --insecure-http`)
  const token = app ? app.get : async () => (await readFile(resolve(cwd, statusTokenFile ?? ''), 'utf8')).trim()
  const access = { url, token, repository, now: Date.now }
  return { statuses: statusForge === 'gitlab' ? gitlabStatuses(access) : githubStatuses(access), prefix: statusContext }
}

function apiOf(forge: (typeof FORGES)[number], web: URL): string {
  return forge === 'github' ? githubApi(web) : `${web.origin}/api/${forge === 'gitlab' ? 'v4' : 'v1'}`
}
