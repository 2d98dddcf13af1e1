import { commitOf } from '../../protocol/revision-id.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import { earliest } from '../clock/earliest.ts'
import type { Compile, CompiledFleet } from '../fleet/compiled-fleet.ts'
import type { Log } from '../log/log.ts'
import type { SecretTaker } from '../secrets/secret-taker.ts'
import { AcceptedCopy } from './accepted-copy.ts'
import type { CommitGuard } from './commit-guard.ts'
import type { HeadEvent } from './head-source.ts'
import { KeptHeads, type KeptHeadsOptions } from './kept-heads.ts'
import { PendingHeads } from './pending-heads.ts'
import { prepareHead } from './prepare-head.ts'
import { missingText, problemText } from './refusal-texts.ts'
import type { RevisionLibrary } from './revision-library.ts'
import type { RevisionStore } from './revision-store.ts'
import { type HeldEvent, headOf, WatchedSecrets } from './watched-secrets.ts'

export interface HeadState {
  /** The newest accepted commit. */
  readonly fleet?: CompiledFleet
  /** That commit, where the cluster does not keep it any more, or it cannot be read: only the repository says what comes now. */
  readonly lost?: string
  /** The newest commit of the branch, accepted or not. */
  readonly observed?: string
  /** `fleet` is what was accepted last as far as the cluster remembers: no valid commit has come from the repository yet. */
  readonly unread?: true
  /** Why the newest commit is not taken. */
  readonly problem?: string
  /** Why the signatures of the newest commit do not suffice; what it holds was not looked at. */
  readonly untrusted?: string
  /** Why the newest commit is not taken though it is valid: a person must promote it. */
  readonly held?: string
  /** What that commit is. */
  readonly heldFleet?: CompiledFleet
  /** Why the repository cannot be read; rollouts go on with what was accepted. */
  readonly trouble?: string
}

export type AcceptedHead = HeadState & { readonly fleet: CompiledFleet }
export type UnreadHead = HeadState & { readonly lost: string }

export interface HeadIntakeOptions extends KeptHeadsOptions {
  readonly compile: Compile
  readonly store: RevisionStore
  readonly library: RevisionLibrary
  readonly log: Log
  readonly guard: CommitGuard
  /** Absent: the controller takes nothing from Secrets. */
  readonly taker?: SecretTaker | undefined
}

/** Takes what the repository tells, one pass at a time: a commit is accepted when it is valid and kept in the cluster, not before. */
export class HeadIntake {
  readonly #options: HeadIntakeOptions
  readonly #kept: KeptHeads
  readonly #copy: AcceptedCopy
  readonly #pending = new PendingHeads()
  #state: HeadState = {}
  /** What the cluster kept, to be looked at with its Secrets as they are now: no news of the repository. */
  #restoredHead: HeldEvent | undefined
  /** The last commit that the repository reported and that was looked at; undefined: none but what the cluster kept. */
  #reported: Exclude<HeadEvent, { readonly kind: 'trouble' | 'mended' }> | undefined
  /** The commit that is looked at, with the contents of its Secrets once these are taken. */
  #looking = ''
  #held: { readonly event: HeldEvent; readonly revision: string } | undefined
  readonly #secrets = new WatchedSecrets()

  constructor(options: HeadIntakeOptions) {
    this.#options = options
    this.#kept = new KeptHeads(options)
    this.#copy = new AcceptedCopy(options.store)
  }

  get state(): HeadState {
    return this.#state
  }

  /** The repository, or that it cannot be read, was heard of since the last pass. */
  get hasNews(): boolean {
    return !this.#pending.isEmpty
  }

  offer(event: HeadEvent): void {
    this.#pending.offer(event)
  }

  /**
   * @param restoredAt when the server was last found to be there again
   * @returns what keeps a valid commit from being accepted; a later call tries again, and pools go on with what was accepted
   * @throws {KubeError} when what was accepted last cannot be read
   */
  async absorb(now: () => Instant, restoredAt?: Instant): Promise<readonly unknown[]> {
    await this.#restore()
    this.#releaseHeld()
    this.#retake(now())
    const next = (): HeadEvent | undefined => this.#pending.next(now(), restoredAt)
    for (let event = next(); event !== undefined; event = next()) {
      try {
        this.#state = await this.#after(event)
      } catch (error) {
        if (event.kind !== 'head') throw error
        if (this.#pending.tryLater(event, error, now())) this.#tellRefusal(event, error)
        return [error]
      }
      this.#pending.remove(event)
    }
    return this.#copy.keep(now)
  }

  #tellRefusal({ snapshot }: HeldEvent, error: unknown): void {
    const problem = `commit "${snapshot.commit}" cannot be stored: ${(error as Error).message}`
    this.#state = { ...this.#state, observed: this.#looking, problem }
  }

  /** Begins with what was accepted last, so that a repository out of reach stops nothing. A newer one may come to light before that can be read. */
  async #restore(): Promise<void> {
    const { fleet: before, unread } = this.#state
    if (before && !unread) return
    const newest = await this.#kept.newerThan(before?.commit)
    if (newest?.fleet) await this.#beginWith(newest.fleet)
    else if (newest && !before) this.#state = { ...this.#state, lost: newest.commit }
  }

  /** What a head must descend from. */
  get lastAccepted(): string | undefined {
    const newest = this.#state.fleet?.commit ?? this.#kept.newest
    return newest === undefined ? undefined : commitOf(newest)
  }

  async #beginWith(fleet: CompiledFleet): Promise<void> {
    const head = fleet.secretRefs && headOf({ ...(await this.#options.store.load(fleet.commit)), accepted: true })
    const { lost: _, ...state } = this.#state
    // What else is there is of a kept commit that was taken again for its Secrets.
    const reported = this.#reported ? state : state.trouble === undefined ? {} : { trouble: state.trouble }
    this.#state = { observed: fleet.commit, ...reported, fleet, unread: true }
    this.#copy.forget()
    this.#secrets.forget()
    if (this.#restoredHead) this.#pending.remove(this.#restoredHead)
    this.#restoredHead = head
    // They may have changed since, and Git may be away.
    if (head) this.#watch(head, { fleet, seen: [NOT_LOOKED] })
    // It was compared with another one.
    if (this.#reported?.kind === 'head') this.#judgeAgain(this.#reported)
  }

  async #after(event: HeadEvent): Promise<HeadState> {
    const { trouble, ...state } = this.#state
    if (event.kind === 'trouble') return { ...state, trouble: event.message }
    if (event.kind === 'mended') return state
    this.#held = undefined
    this.#reported = event === this.#restoredHead ? undefined : event
    const { held, heldFleet, problem, untrusted, ...accepted } = state
    this.#secrets.forget()
    if (event.kind === 'refused') {
      const why = event.reason === 'UntrustedCommit' ? { untrusted: event.message } : { problem: event.message }
      return { ...accepted, observed: event.commit, ...why }
    }
    return this.#accept(event, accepted)
  }

  /** @param state what stays when the commit is not taken */
  async #accept(event: HeldEvent, state: HeadState): Promise<HeadState> {
    const { compile, library, log, taker } = this.#options
    this.#looking = event.snapshot.commit
    const { snapshot, fleet, seen, missing } = await prepareHead(event.snapshot, { compile, taker, known: this.#state.fleet })
    if (seen) this.#watch(event, { fleet, seen })
    const observed = snapshot.commit
    this.#looking = observed
    if (missing || fleet.problems.length > 0) {
      const problem = missing ? missingText(observed, missing) : problemText(fleet)
      log('error', problem)
      return { ...state, observed, problem }
    }
    const objection = await this.#objectionTo(fleet)
    if (objection !== undefined) {
      log('warn', objection)
      this.#held = { event, revision: observed }
      return { ...state, observed, held: objection, heldFleet: fleet }
    }
    // A fleet may be a folder of something larger: pictures and programs beside it are nothing for the cluster's database.
    const accepted = { ...snapshot, files: fleet.files }
    await this.#copy.write(accepted, { isLost: observed === this.#state.lost })
    library.add(fleet)
    log('info', `accepted commit "${observed}"`)
    return { fleet, observed, ...(event === this.#restoredHead && { unread: true }) }
  }

  /** None to what was accepted before. Where that is lost, a newer one is compared with the newest that is kept. */
  async #objectionTo(to: CompiledFleet): Promise<string | undefined> {
    const { guard } = this.#options
    const { fleet, lost } = this.#state
    if (to === fleet || to.commit === lost || guard.isPromoted(to.commit)) return undefined
    return guard.objection(to, fleet ?? (await this.#kept.readable()))
  }

  /** When Secrets that have changed may be taken again, or a commit that could not be kept is to be tried again. */
  get wakeAt(): Instant | undefined {
    return earliest([this.#secrets.wakeAt, this.#pending.wakeAt, this.#copy.wakeAt])
  }

  #watch(event: HeldEvent, { fleet, seen }: { readonly fleet: CompiledFleet; readonly seen: readonly unknown[] }): void {
    const { secretRefs = [] } = fleet
    this.#secrets.watch({ event, revision: fleet.commit, seen, look: () => this.#options.taker?.look(secretRefs) ?? seen })
  }

  /** Other contents of the Secrets of the newest commit make another revision of it, as a new commit would. */
  #retake(now: Instant): void {
    const changed = this.#secrets.changed(now)
    if (changed && !this.#pending.hasHead) this.#pending.offer(changed)
  }

  /** Once it is promoted. */
  #releaseHeld(): void {
    const held = this.#held
    if (held && this.#options.guard.isPromoted(held.revision)) this.#judgeAgain(held.event)
  }

  /** As if it had just been read; a newer one makes it of no interest. */
  #judgeAgain(event: HeldEvent): void {
    if (!this.#pending.hasHead) this.#pending.offerFirst(event)
  }
}

/** Another process looked at them. */
const NOT_LOOKED = Symbol('not looked at')
