import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ElectionSettings } from '../../controller/leadership/election.ts'
import { DEFAULT_LEASE_TIMINGS, type LeaseTimings, timingProblem } from '../../controller/leadership/election.ts'

/** Times are milliseconds; the defaults are client-go's. */
export interface ElectionOptions {
  /** The default is true. */
  readonly leaderElect?: boolean
  readonly leaderElectLeaseDuration?: number
  readonly leaderElectRenewDeadline?: number
  readonly leaderElectRetryPeriod?: number
}

/** The flags are those of Kubernetes' own controllers. */
export function addElectionOptions(command: Command, parseDuration: (text: string) => number): Command {
  const { leaseDuration, renewDeadline, retryPeriod } = DEFAULT_LEASE_TIMINGS
  const duration = (flag: string, { is, about }: { is: number; about: string }) =>
    new Option(`--leader-elect-${flag} <duration>`, about).argParser(parseDuration).default(is, `${is / 1000}s`)
  return command
    .addOption(
      new Option('--leader-elect <true|false>', 'elect a leader among several controllers; false: this is the only one')
        .argParser(parseBoolean)
        .default(true, 'true'),
    )
    .addOption(
      duration('lease-duration', { is: leaseDuration, about: 'time until another controller takes a lease that is not renewed' }),
    )
    .addOption(duration('renew-deadline', { is: renewDeadline, about: 'time that the leader acts without a renewal' }))
    .addOption(duration('retry-period', { is: retryPeriod, about: 'interval between renewals' }))
}

/** @throws {Error} when the times do not go together */
export function electionOf(options: ElectionOptions): ElectionSettings | undefined {
  if (options.leaderElect === false) return undefined
  const timings: LeaseTimings = {
    leaseDuration: options.leaderElectLeaseDuration ?? DEFAULT_LEASE_TIMINGS.leaseDuration,
    renewDeadline: options.leaderElectRenewDeadline ?? DEFAULT_LEASE_TIMINGS.renewDeadline,
    retryPeriod: options.leaderElectRetryPeriod ?? DEFAULT_LEASE_TIMINGS.retryPeriod,
  }
  const problem = timingProblem(timings)
  if (problem) throw new Error(`${problem}: correct --leader-elect-lease-duration, -renew-deadline or -retry-period`)
  // As client-go's: a pod that is created again under its old name is another candidate.
  return { identity: `${hostname()}_${randomUUID()}`, timings }
}

function parseBoolean(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw new InvalidArgumentError('expected "true" or "false"')
}
