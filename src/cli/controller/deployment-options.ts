import type { Command } from 'commander'
import { githubDeployments } from '../../forge/deployment/github-deployments.ts'
import { gitlabDeployments } from '../../forge/deployment/gitlab-deployments.ts'
import type { CommitStatuses } from '../../forge/status/commit-status.ts'
import { type ForgeAccessOptions, forgeAccess } from './forge-access.ts'
import { type RefOptions, refOf } from './ref-options.ts'
import { contextOf } from './status-options.ts'

export interface DeploymentOptions {
  readonly deployments?: boolean
}

interface Subject extends ForgeAccessOptions, RefOptions {
  readonly cluster?: string
  readonly statusContext?: string
}

export interface DeploymentSettings {
  readonly statuses: CommitStatuses
  readonly prefix: string
}

export function addDeploymentOptions(command: Command): Command {
  return command.option(
    '--deployments',
    'show each pool as an environment of --status-forge, github or gitlab, with its commits as deployments. Default: off',
  )
}

/** @returns undefined when none are asked for. @throws {Error} saying which option is wrong or missing. */
export function deploymentsFor(options: DeploymentOptions & Subject): DeploymentSettings | undefined {
  const { deployments = false, statusForge } = options
  if (!deployments) return undefined
  if (statusForge === undefined) throw new Error('--deployments needs --status-forge')
  if (statusForge === 'gitea') throw new Error('--deployments is for github and gitlab; Gitea and Forgejo have no deployments')
  const access = forgeAccess({ ...options, statusForge }, { permissions: { deployments: 'write' } })
  const prefix = options.statusContext ?? contextOf(options.cluster)
  if (statusForge === 'github') return { statuses: githubDeployments(access), prefix }
  const ref = refOf(options) ?? { branch: 'main' }
  if (!('branch' in ref)) throw new Error('--deployments on gitlab needs a --branch, which GitLab shows beside each deployment')
  return { statuses: gitlabDeployments(access, ref), prefix }
}
