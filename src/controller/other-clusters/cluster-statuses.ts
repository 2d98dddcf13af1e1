import { isDeepStrictEqual } from 'node:util'
import { type AccountStatus, type AccountStatuses, type CommitStatus, ForgeError } from '../../forge/status/commit-status.ts'
import { foreignText } from '../../protocol/foreign-text.ts'
import type { Awaited } from '../../rollout/model/fleet-facts.ts'
import type { PoolOfCluster } from '../../rollout/model/policy.ts'
import type { Clock } from '../clock/clock.ts'
import { WakeSignal } from '../clock/wake-signal.ts'
import type { Log } from '../log/log.ts'
import { backoffAfter } from '../remote-rounds/refusals.ts'
import { nameOf, type OtherClusters } from './other-clusters.ts'
import { accountOf, isOfCluster, type StatusAccounts } from './status-accounts.ts'

export interface ClusterStatusesOptions {
  readonly statuses: AccountStatuses
  /** In the forge. What others than its account post of a cluster is worth nothing. */
  readonly accounts: StatusAccounts
  /** What the names of statuses of a cluster begin with. */
  readonly contextOf: (cluster: string) => string
  readonly clock: Clock
  readonly log: Log
  /** There is something new. */
  readonly changed: () => void
}

/** Milliseconds between two looks, while a pool waits. */
const POLL = 15_000
/** Characters of what another cluster says. */
const LONGEST = 300
/** Characters of the name of an account. */
const LONGEST_NAME = 60

type Said = Pick<CommitStatus, 'state' | 'description'>

/** What the forge says of one commit. */
interface Answer {
  readonly commit: string
  /** By context and account. */
  readonly said: ReadonlyMap<string, Said>
  /** Who else says something, by context: a reason to look at the option, and nothing more. */
  readonly accounts: ReadonlyMap<string, readonly string[]>
  /** Why it could not be asked the last time. */
  readonly trouble?: string
}

const NOTHING: Pick<Answer, 'said' | 'accounts'> = { said: new Map(), accounts: new Map() }

/** Reads what other clusters say of a commit, from their statuses beside it. The forge is all that clusters have in common. */
export class ClusterStatuses implements OtherClusters {
  readonly #options: ClusterStatusesOptions
  readonly #wake = new WakeSignal()
  #commit: string | undefined
  #answer: Answer | undefined
  #failures = 0

  constructor(options: ClusterStatusesOptions) {
    this.#options = options
  }

  follow(commit: string | undefined): void {
    if (commit === this.#commit) return
    this.#commit = commit
    this.#wake.fire()
  }

  awaited(pools: readonly PoolOfCluster[], commit: string): readonly Awaited[] {
    const answer = this.#answer?.commit === commit ? this.#answer : undefined
    return pools.flatMap((pool) => {
      const account = accountOf(this.#options.accounts, pool.cluster)
      if (account === undefined) return [{ pool: nameOf(pool), failed: false, why: noAccount(pool.cluster) }]
      const context = `${this.#options.contextOf(pool.cluster)}/${pool.pool}`
      const said = answer?.said.get(keyOf(context, account))
      if (said?.state === 'success') return []
      return [{ pool: nameOf(pool), ...(explained(said, answer) ?? explainedByOthers({ context, account }, answer)) }]
    })
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    while (!signal.aborted) {
      const rest = this.#commit === undefined ? undefined : await this.#ask(this.#commit, signal)
      await this.#wake.wait(clock, {
        until: rest === undefined ? undefined : clock.now() + rest,
        notBefore: clock.elapsed(),
        signal,
      })
    }
  }

  /** @returns milliseconds to rest */
  async #ask(commit: string, signal: AbortSignal): Promise<number> {
    const { statuses, accounts } = this.#options
    try {
      const found = await statuses.listByAccount(commit, signal)
      this.#failures = 0
      // Forges list the newest of many: what is not among them any more is as it was.
      const own = found.filter(({ account }) => isOfCluster(accounts, account))
      const said = new Map([
        ...this.#before(commit).said,
        ...own.map((each) => [keyOf(each.context, each.account), each] as const),
      ])
      this.#take({ commit, said, accounts: accountsByContext(found) })
      return POLL
    } catch (error) {
      if (signal.aborted) return 0
      return this.#failed(commit, error)
    }
  }

  /** What was heard of the commit before stays: a success is not taken back by an outage. */
  #failed(commit: string, error: unknown): number {
    const { log } = this.#options
    this.#failures += 1
    const backoff = backoffAfter(this.#failures)
    const trouble = foreignText(error instanceof Error ? error.message : String(error), LONGEST)
    if (this.#answer?.trouble !== trouble) log('warn', `read statuses of other clusters: ${trouble}; tried again until it works`)
    this.#take({ commit, ...this.#before(commit), trouble })
    return error instanceof ForgeError ? Math.max(backoff, error.retryAfter ?? 0) : backoff
  }

  #before(commit: string): Pick<Answer, 'said' | 'accounts'> {
    const { said, accounts } = this.#answer?.commit === commit ? this.#answer : NOTHING
    return { said, accounts }
  }

  #take(answer: Answer): void {
    const isNew = !isDeepStrictEqual(answer, this.#answer)
    this.#answer = answer
    if (isNew) this.#options.changed()
  }
}

function keyOf(context: string, account: string): string {
  return JSON.stringify([context, account.toLowerCase()])
}

function accountsByContext(statuses: readonly AccountStatus[]): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...Map.groupBy(statuses, ({ context }) => context)].map(([context, all]) => [context, all.map(({ account }) => account)]),
  )
}

function noAccount(cluster: string): string {
  return `whose account is unknown: state it, --status-account ${cluster}=ACCOUNT`
}

/** A name that was mistyped, or the account of another token, would otherwise be waited for without a word. */
function explainedByOthers(
  { context, account }: { readonly context: string; readonly account: string },
  answer: Answer | undefined,
): Omit<Awaited, 'pool'> {
  const [other] = answer?.accounts.get(context) ?? []
  if (other === undefined) return { failed: false }
  const by = other === '' ? 'an unknown account' : `account "${foreignText(other, LONGEST_NAME)}"`
  return {
    failed: false,
    why: `whose status "${context}" was posted by ${by}: only those of --status-account "${account}" count`,
  }
}

function explained(said: Said | undefined, answer: Answer | undefined): Omit<Awaited, 'pool'> | undefined {
  if (said?.state === 'failure') return { failed: true, why: `where it failed: ${foreignText(said.description, LONGEST)}` }
  if (answer?.trouble !== undefined) return { failed: false, why: `whose status cannot be read: ${answer.trouble}` }
  return said && { failed: false }
}
