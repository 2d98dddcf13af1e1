import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { type GithubApp, type InstallationTokens, installationTokens } from '../../forge/github-app/installation-tokens.ts'
import { GitSyncError } from '../../gitsync/git-sync-error.ts'
import { forgeUrl, repositoryName } from './forge-url.ts'

export interface GithubAppOptions {
  readonly githubAppId?: string
  readonly githubAppKeyFile?: string
}

interface Subject {
  readonly repo: string
  readonly cwd: string
}

export function addGithubAppOptions(command: Command): Command {
  return command
    .option('--github-app-id <id>', 'GitHub App to read the repository as; needs --github-app-key-file')
    .option('--github-app-key-file <file>', 'file with the private key of the GitHub App, as PEM')
}

/** @returns undefined when there is no app. @throws {Error} saying which option is wrong or missing */
export function appTokens(
  options: GithubAppOptions & Subject,
  permissions: GithubApp['permissions'],
): InstallationTokens | undefined {
  const { githubAppId: id, githubAppKeyFile: keyFile, repo, cwd } = options
  if (id === undefined && keyFile === undefined) return undefined
  if (id === undefined || keyFile === undefined) throw new Error('--github-app-id and --github-app-key-file need each other')
  const web = forgeUrl(repo)
  if (web?.protocol !== 'https:') throw new Error('--github-app-id needs a --repo with an https:// URL')
  const path = resolve(cwd, keyFile)
  const privateKey = () => readFile(path, 'utf8')
  const tokens = installationTokens({
    ...{ url: githubApi(web), id, privateKey, repository: repositoryName(web), permissions },
    now: Date.now,
  })
  return { get: () => tokens.get().catch(refusedFor(id)), forget: () => tokens.forget() }
}

/** Of github.com, or of a server of one's own. */
export function githubApi({ origin, host }: URL): string {
  return host === 'github.com' ? 'https://api.github.com' : `${origin}/api/v3`
}

function refusedFor(id: string): (cause: unknown) => never {
  return (cause) => {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new GitSyncError(
      `failed to get a token for GitHub App "${id}": ${why}; check --github-app-id and --github-app-key-file, ` +
        'and that the app is installed on the repository with the permission to read its contents',
      { reason: 'Unauthorized', cause },
    )
  }
}
