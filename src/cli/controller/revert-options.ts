import type { Command } from 'commander'
import type { RevertPlace } from '../../controller/revert/revert-place.ts'
import { revertRequestsOn } from '../../forge/revert/reverts-on.ts'
import { type ForgeAccessOptions, forgeAccess } from './forge-access.ts'
import { type RefOptions, refOf } from './ref-options.ts'
import { contextOf } from './status-options.ts'

export interface RevertOptions {
  readonly revertPullRequests?: boolean
  readonly revertTokenFile?: string
}

interface Subject extends ForgeAccessOptions, RefOptions {
  readonly cluster?: string
  readonly statusContext?: string
}

export function addRevertOptions(command: Command): Command {
  return command
    .option('--revert-pull-requests', 'open a pull request in --status-forge that reverts a commit which failed. Default: off')
    .option(
      '--revert-token-file <file>',
      'file with a token that may write branches and pull requests. Default: --status-token-file',
    )
}

/** @returns undefined when nothing is to be reverted. @throws {Error} saying which option is wrong or missing. */
export function revertsFor(options: RevertOptions & Subject): Omit<RevertPlace, 'folder'> | undefined {
  const { revertPullRequests = false, revertTokenFile: tokenFile, statusForge } = options
  if (!revertPullRequests) {
    if (tokenFile !== undefined) throw new Error('--revert-token-file needs --revert-pull-requests')
    return undefined
  }
  if (statusForge === undefined) throw new Error('--revert-pull-requests needs --status-forge')
  const ref = refOf(options) ?? { branch: 'main' }
  if (!('branch' in ref)) throw new Error('--revert-pull-requests needs a --branch; a tag or a commit takes no pull request')
  const access = forgeAccess(
    { ...options, statusForge },
    { tokenFile, permissions: { contents: 'write', pull_requests: 'write' } },
  )
  const context = options.statusContext ?? contextOf(options.cluster)
  return { requests: revertRequestsOn(statusForge, access), base: ref.branch, context }
}
