import { resolve } from 'node:path'
import type { GithubApp } from '../../forge/github-app/installation-tokens.ts'
import type { ForgeKind } from '../../forge/pull-request/pull-request-url.ts'
import type { ForgeAccess } from '../../forge/status/forge-request.ts'
import { secretLine } from '../../notify/secret-line.ts'
import { forgeUrl, repositoryName } from './forge-url.ts'
import { appTokens, type GithubAppOptions, githubApi } from './github-app-options.ts'

/** Where the API of the forge is; the same for all that is asked of it. */
export interface ForgeAccessOptions extends GithubAppOptions {
  readonly statusForge?: ForgeKind
  readonly statusTokenFile?: string
  readonly statusUrl?: string
  readonly statusRepository?: string
  readonly cwd: string
  readonly repo: string
  readonly insecureHttp?: boolean
}

export interface NeededAccess {
  /** Default: that of statuses. */
  readonly tokenFile?: string | undefined
  /** Of a GitHub App, where there is no file. */
  readonly permissions: GithubApp['permissions']
}

/** @throws {Error} saying which option is wrong or missing. */
export function forgeAccess(
  options: ForgeAccessOptions & { readonly statusForge: ForgeKind },
  { tokenFile = options.statusTokenFile, permissions }: NeededAccess,
): ForgeAccess {
  const { statusForge, repo, cwd } = options
  const app = statusForge === 'github' && tokenFile === undefined ? appTokens(options, permissions) : undefined
  if (tokenFile === undefined && !app) throw new Error('--status-forge needs --status-token-file')
  const web = forgeUrl(repo)
  const base = options.statusUrl ?? (web && apiOf(statusForge, web))
  const repository = options.statusRepository ?? (web && repositoryName(web))
  if (base === undefined || repository === undefined)
    throw new Error('--status-forge with a --repo that is no URL needs --status-url and --status-repository')
  const url = base.replace(/\/+$/, '')
  if (!/^https?:\/\//.test(url)) throw new Error(`--status-url "${url}": expected a URL such as https://git.example.com/api/v1`)
  if (!url.startsWith('https:') && !options.insecureHttp)
    throw new Error(`refuse to send the token to "${url}", which everybody on the way can read; use https, or --insecure-http`)
  const token = app ? app.get : () => secretLine(resolve(cwd, tokenFile ?? ''))
  return { url, token, repository, now: Date.now }
}

function apiOf(forge: ForgeKind, web: URL): string {
  return forge === 'github' ? githubApi(web) : `${web.origin}/api/${forge === 'gitlab' ? 'v4' : 'v1'}`
}
