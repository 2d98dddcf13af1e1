import { type Command, Option } from 'commander'
import { accountOf, isSameAccount, type StatusAccounts } from '../../controller/other-clusters/status-accounts.ts'
import type { AccountStatuses, CommitStatuses } from '../../forge/status/commit-status.ts'
import { githubStatuses } from '../../forge/status/github-statuses.ts'
import { gitlabStatuses } from '../../forge/status/gitlab-statuses.ts'
import { type ForgeAccessOptions, forgeAccess } from './forge-access.ts'
import { addStatusAccount } from './status-accounts.ts'

const FORGES = ['github', 'gitea', 'gitlab'] as const

export interface StatusOptions {
  readonly statusForge?: (typeof FORGES)[number]
  readonly statusTokenFile?: string
  readonly statusUrl?: string
  readonly statusRepository?: string
  readonly statusContext?: string
  readonly statusAccount?: StatusAccounts
}

interface Subject extends ForgeAccessOptions {
  readonly cluster?: string
}

export interface StatusSettings {
  readonly statuses: CommitStatuses & AccountStatuses
  readonly prefix: string
  /** Whose statuses of other clusters count. */
  readonly accounts?: StatusAccounts
}

export function addStatusOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--status-forge <forge>', 'show each pool beside its commits in this forge. Default: off').choices(FORGES),
    )
    .option('--status-token-file <file>', 'file with a token that may write statuses of commits')
    .option('--status-url <url>', 'URL of the API of the forge. Default: from --repo')
    .option('--status-repository <group/name>', 'the repository as its forge names it. Default: the path of --repo')
    .addOption(
      new Option(
        '--status-account <[cluster=]name>',
        'account of nodewave in the forge: its statuses alone count for pools that depend on other clusters, and as posted. ' +
          'Repeat it for clusters with an account of their own',
      ).argParser(addStatusAccount),
    )
    .option(
      '--status-context <text>',
      'what the names of statuses begin with; the pool follows. Default: nodewave, and nodewave/NAME with --cluster',
    )
}

/** @returns undefined when no statuses are asked for. @throws {Error} saying which option is wrong or missing. */
export function statusesFor(options: StatusOptions & Subject): StatusSettings | undefined {
  const { statusForge, statusAccount: accounts } = options
  if (statusForge === undefined) {
    if (accounts !== undefined) throw new Error('--status-account needs --status-forge')
    return undefined
  }
  const access = forgeAccess({ ...options, statusForge }, { permissions: { statuses: 'write' } })
  const statuses = statusForge === 'gitlab' ? gitlabStatuses(access) : githubStatuses(access)
  const own = accounts && accountOf(accounts, options.cluster)
  return {
    statuses: own === undefined ? statuses : { ...statuses, list: ownStatuses(statuses, own) },
    prefix: options.statusContext ?? contextOf(options.cluster),
    ...(accounts && { accounts }),
  }
}

/** What another account posted was not posted by us: whoever counts our statuses would wait for them. */
function ownStatuses({ listByAccount }: AccountStatuses, account: string): CommitStatuses['list'] {
  return async (commit, signal) =>
    (await listByAccount(commit, signal)).filter((status) => isSameAccount(status.account, account))
}

/** What the names of statuses of a cluster begin with. */
export function contextOf(cluster: string | undefined): string {
  return cluster === undefined ? 'nodewave' : `nodewave/${cluster}`
}
