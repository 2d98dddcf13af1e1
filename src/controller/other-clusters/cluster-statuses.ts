import { isDeepStrictEqual } from 'node:util'
import { type AccountStatus, type AccountStatuses, type CommitStatus, ForgeError } from '../../forge/status/commit-status.ts'
import { isSameAccount } from '../../forge/status/github-statuses.ts'
import { foreignText } from '../../protocol/foreign-text.ts'
import type { Awaited } from '../../rollout/model/fleet-facts.ts'
import type { PoolOfCluster } from '../../rollout/model/policy.ts'
import type { Clock } from '../clock/clock.ts'
import { WakeSignal } from '../clock/wake-signal.ts'
import type { Log } from '../log.ts'
import { backoffAfter } from '../remote-rounds/refusals.ts'
import { nameOf, type OtherClusters } from './other-clusters.ts'

export interface ClusterStatusesOptions {
  readonly statuses: AccountStatuses
  /** The account of nodewave in the forge: what others post is worth nothing. */
  readonly account: string
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
  readonly said: ReadonlyMap<string, Said>
  /** What other accounts say of it: a reason to look at `account`, and nothing more. */
  readonly others: ReadonlyMap<string, AccountStatus>
  /** Why it could not be asked the last time. */
  readonly trouble?: string
}

const NOTHING: Pick<Answer, 'said' | 'others'> = { said: new Map(), others: new Map() }

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
      const context = `${this.#options.contextOf(pool.cluster)}/${pool.pool}`
      const said = answer?.said.get(context)
      if (said?.state === 'success') return []
      return [{ pool: nameOf(pool), ...(explained(said, answer) ?? this.#explainedByOthers(context, answer)) }]
    })
  }

  /** A name that was mistyped, or the account of another token, would otherwise be waited for without a word. */
  #explainedByOthers(context: string, answer: Answer | undefined): Omit<Awaited, 'pool'> {
    const other = answer?.others.get(context)
    if (other === undefined) return { failed: false }
    const by = other.account === '' ? 'an unknown account' : `account "${foreignText(other.account, LONGEST_NAME)}"`
    const why = `whose status "${context}" was posted by ${by}: only those of --status-account "${this.#options.account}" count`
    return { failed: false, why }
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
    const { statuses, account } = this.#options
    try {
      const found = await statuses.listByAccount(commit, signal)
      const [own, others] = [true, false].map((isOwn) => found.filter((each) => isSameAccount(each.account, account) === isOwn))
      this.#failures = 0
      // Forges list the newest of many: what is not among them any more is as it was.
      this.#take({ commit, said: new Map([...this.#before(commit).said, ...byContext(own)]), others: byContext(others) })
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
    const { said, others } = this.#before(commit)
    this.#take({ commit, said, others, trouble })
    return error instanceof ForgeError ? Math.max(backoff, error.retryAfter ?? 0) : backoff
  }

  #before(commit: string): Pick<Answer, 'said' | 'others'> {
    return this.#answer?.commit === commit ? this.#answer : NOTHING
  }

  #take(answer: Answer): void {
    const isNew = !isDeepStrictEqual(answer, this.#answer)
    this.#answer = answer
    if (isNew) this.#options.changed()
  }
}

function byContext(statuses: readonly AccountStatus[] = []): ReadonlyMap<string, AccountStatus> {
  return new Map(statuses.map((each) => [each.context, each]))
}

function explained(said: Said | undefined, answer: Answer | undefined): Omit<Awaited, 'pool'> | undefined {
  if (said?.state === 'failure') return { failed: true, why: `where it failed: ${foreignText(said.description, LONGEST)}` }
  if (answer?.trouble !== undefined) return { failed: false, why: `whose status cannot be read: ${answer.trouble}` }
  return said && { failed: false }
}
