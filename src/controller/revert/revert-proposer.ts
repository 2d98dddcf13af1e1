import type { OpenedRequest } from '../../forge/revert/revert-requests.ts'
import { ForgeError } from '../../forge/status/commit-status.ts'
import { commitOf, shortRevision } from '../../protocol/revision-id.ts'
import type { Clock } from '../clock/clock.ts'
import type { ObjectEvent } from '../events/event-recorder.ts'
import type { Log } from '../log/log.ts'
import { RemoteRounds } from '../remote-rounds/remote-rounds.ts'
import type { HeadState } from '../revisions/head-intake.ts'
import { allReady, everRejected, type FailedPool, failedPools, type RevertPool } from './failed-commits.ts'
import { prepareRevert, type RevertSources } from './prepare-revert.ts'
import type { RevertPlace } from './revert-place.ts'
import { branchOf, closedText, markerOf } from './revert-text.ts'

export interface RevertProposerOptions {
  readonly place: RevertPlace
  readonly sources: RevertSources
  readonly pools: () => Iterable<RevertPool>
  readonly head: () => HeadState
  readonly tell: (events: readonly ObjectEvent[]) => Promise<void>
  readonly clock: Clock
  readonly log: Log
}

const DIGITS = 12

/**
 * Opens one pull request for each commit that failed here, and closes it when it is not needed. All that it knows stands in NodePools and in
 * the forge. No rollout waits for it.
 */
export class RevertProposer {
  readonly #options: RevertProposerOptions
  readonly #rounds: RemoteRounds
  /** By revision that failed; null: the forge has none. */
  readonly #requests = new Map<string, OpenedRequest | null>()
  /** Revisions whose branch this process may have made without hearing of it. */
  readonly #sent = new Set<string>()
  /** By revision and newest commit: a person has to act. */
  readonly #impossible = new Set<string>()

  constructor(options: RevertProposerOptions) {
    this.#options = options
    this.#rounds = new RemoteRounds({ ...options, name: 'revert pull requests' })
  }

  /** The pools may have changed. */
  readonly fire = (): void => this.#rounds.fire()

  run(signal: AbortSignal): Promise<void> {
    return this.#rounds.run(() => this.#round(signal), signal)
  }

  async #round(signal: AbortSignal): Promise<undefined> {
    const { fleet, observed } = this.#options.head()
    // What a commit says that was not accepted, nobody knows.
    if (fleet === undefined || observed !== fleet.commit) return
    const pools = [...this.#options.pools()]
    const wanted = failedPools(pools, (pool) => fleet.pools.get(pool)?.fingerprint)
    const named = (revision: string) => ({ key: revision, shown: shortRevision(revision, DIGITS) })
    for (const [revision, failed] of wanted)
      await this.#rounds.unlessRefused(named(revision), () => this.#propose(failed, { revision, head: fleet.commit, signal }))
    for (const revision of new Set([...everRejected(pools), ...this.#requests.keys()])) {
      const concerned = pools.filter(({ status }) => status.rejected?.some((ref) => ref.revision === revision))
      // After a retry no pool rejects it any more.
      if (wanted.has(revision) || !allReady(concerned.length > 0 ? concerned : pools)) continue
      await this.#rounds.unlessRefused(named(revision), () => this.#close(revision, { head: fleet.commit, signal }))
    }
  }

  async #propose(
    failed: readonly FailedPool[],
    { revision, head, signal }: Asked & { readonly revision: string },
  ): Promise<void> {
    if (this.#impossible.has(`${revision} ${head}`) || (await this.#find(revision, signal))) return
    const { place, sources } = this.#options
    const prepared = await prepareRevert(sources, { failed, revision, context: place.context, folder: place.folder })
    const refuse = (reason: string) => {
      this.#impossible.add(`${revision} ${head}`)
      return this.#say(failed, { type: 'Warning', reason: 'RevertNotProposed', message: notProposed(revision, reason) })
    }
    if ('reason' in prepared) return refuse(prepared.reason)
    const { base, requests } = place
    const [branch, parent] = [this.#branch(revision), commitOf(head)]
    const { title, body } = prepared.text
    const message = `${title}\n\nThis reverts commit ${commitOf(revision)}.\n`
    // An answer may be lost: then what is there is looked for again.
    this.#requests.delete(revision)
    const commit = { base, parent, branch, message, files: prepared.files }
    // Under our name and our text, reviewers would trust what somebody else pushed.
    if (!(await this.#make(revision, () => requests.commit(commit, signal)))) return refuse(`branch "${branch}" exists already`)
    const url = await requests.open({ base, branch, title, body }, signal)
    await this.#say(failed, { type: 'Normal', reason: 'RevertProposed', message: `opened ${url}, which reverts it` })
  }

  /** @returns whether the branch is ours */
  async #make(revision: string, commit: () => Promise<boolean>): Promise<boolean> {
    const wasSent = this.#sent.has(revision)
    this.#sent.add(revision)
    try {
      const isOurs = (await commit()) || wasSent
      if (!isOurs) this.#sent.delete(revision)
      return isOurs
    } catch (error) {
      if (!wasSent && error instanceof ForgeError && error.isRefusal) this.#sent.delete(revision)
      throw error
    }
  }

  /** What people opened under the name of such a branch is theirs. */
  async #close(revision: string, { head, signal }: Asked): Promise<void> {
    const known = this.#requests.get(revision)
    // Since it was found open, people may have merged it, or written into it.
    const found = await (this.#isOurs(known, revision) ? this.#look(revision, signal) : this.#find(revision, signal))
    if (!this.#isOurs(found, revision)) return
    const body = closedText(found.body, shortRevision(head, DIGITS))
    await this.#options.place.requests.close({ number: found.number, body }, signal)
    this.#requests.set(revision, { ...found, isOpen: false })
    this.#options.log('info', `closed ${found.url}: the pools are Ready at "${shortRevision(head, DIGITS)}"`)
  }

  #isOurs(found: OpenedRequest | null | undefined, revision: string): found is OpenedRequest {
    return found?.isOpen === true && found.body.includes(markerOf({ context: this.#options.place.context, commit: revision }))
  }

  async #find(revision: string, signal: AbortSignal): Promise<OpenedRequest | undefined> {
    const known = this.#requests.get(revision)
    return known === undefined ? this.#look(revision, signal) : (known ?? undefined)
  }

  async #look(revision: string, signal: AbortSignal): Promise<OpenedRequest | undefined> {
    const { base, requests } = this.#options.place
    const found = await requests.find({ base, branch: this.#branch(revision) }, signal)
    this.#requests.set(revision, found ?? null)
    return found
  }

  #branch(revision: string): string {
    return branchOf({ context: this.#options.place.context, commit: commitOf(revision) })
  }

  async #say(failed: readonly FailedPool[], event: Omit<ObjectEvent, 'object'>): Promise<void> {
    const { tell, log } = this.#options
    log(event.type === 'Warning' ? 'warn' : 'info', `revert pull requests: ${event.message}`)
    await tell(failed.map(({ pool: { name, uid } }) => ({ ...event, object: { kind: 'NodePool', name, uid } as const })))
  }
}

interface Asked {
  /** The newest commit. */
  readonly head: string
  readonly signal: AbortSignal
}

function notProposed(revision: string, reason: string): string {
  return `no pull request reverts "${shortRevision(revision, DIGITS)}": ${reason}; revert it by hand`
}
