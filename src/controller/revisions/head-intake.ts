import { KubeError } from '../../kube/kube-api.ts'
import type { RepoSnapshot } from '../../protocol/repo-snapshot.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import { earliest } from '../clock/earliest.ts'
import type { Compile, CompiledFleet } from '../fleet/compiled-fleet.ts'
import type { Log } from '../log/log.ts'
import type { SecretTaker } from '../secrets/secret-taker.ts'
import { isWaiting, type Wait } from '../writes/write-failures.ts'
import type { CommitGuard } from './commit-guard.ts'
import type { HeadEvent } from './head-source.ts'
import { PendingHeads, waitToKeep } from './pending-heads.ts'
import { prepareHead } from './prepare-head.ts'
import { missingText, problemText } from './refusal-texts.ts'
import type { RevisionLibrary } from './revision-library.ts'
import type { RevisionStore } from './revision-store.ts'
import { type HeldEvent, headOf, WatchedSecrets } from './watched-secrets.ts'

export interface HeadState {
  /** The newest accepted commit. */
  readonly fleet?: CompiledFleet
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

export interface HeadIntakeOptions {
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
  readonly #pending = new PendingHeads()
  #state: HeadState = {}
  #restored = false
  /** What the cluster kept, to be looked at with its Secrets as they are now: no news of the repository. */
  #restoredHead: HeldEvent | undefined
  /** As it is kept; undefined until it has come from the repository. */
  #accepted: RepoSnapshot | undefined
  /** It was deleted, and the server refuses to keep it again. */
  #unkept: Wait | undefined
  /** The commit that is looked at, with the contents of its Secrets once these are taken. */
  #looking = ''
  #held: { readonly event: HeldEvent; readonly revision: string } | undefined
  readonly #secrets = new WatchedSecrets()

  constructor(options: HeadIntakeOptions) {
    this.#options = options
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
   * @returns what keeps a valid commit from being accepted; the next call tries again
   * @throws {KubeError} when the server is away
   */
  async absorb(now: Instant): Promise<readonly unknown[]> {
    if (!this.#restored || this.#isOutdated()) await this.#restore()
    this.#restored = true
    this.#releaseHeld()
    this.#retake(now)
    for (let event = this.#pending.next(now); event !== undefined; event = this.#pending.next(now)) {
      try {
        this.#state = await this.#after(event)
      } catch (error) {
        if (event.kind !== 'head' || isAway(error)) throw error
        const { commit } = event.snapshot
        this.#pending.tryLater(event, now)
        this.#state = {
          ...this.#state,
          observed: this.#looking,
          problem: `commit "${commit}" cannot be stored: ${(error as Error).message}`,
        }
        return [error]
      }
      this.#pending.remove(event)
    }
    return this.#keepAccepted(now)
  }

  /** Somebody may have deleted it: who leads next would take the commit before for the last accepted, and bring all nodes back to that. */
  async #keepAccepted(now: Instant): Promise<readonly unknown[]> {
    const { store } = this.#options
    if (this.#unkept && isWaiting(this.#unkept, now)) return []
    this.#unkept = undefined
    try {
      if (this.#accepted && store.list()[0]?.commit !== this.#accepted.commit) await store.put(this.#accepted)
      return []
    } catch (error) {
      if (isAway(error)) throw error
      this.#unkept = waitToKeep(now)
      return [error]
    }
  }

  /** Before the repository has been read, a newer one came to light: its labels are back, or its watch was behind. */
  #isOutdated(): boolean {
    const { fleet, unread } = this.#state
    return unread === true && this.#options.store.list().findIndex(({ commit }) => commit === fleet?.commit) > 0
  }

  /** Begins with what was last accepted, so that a repository out of reach stops nothing. */
  async #restore(): Promise<void> {
    const last = this.#options.store.list()[0]
    const fleet = last && (await this.#options.library.get(last.commit))
    const { fleet: before, observed, ...state } = this.#state
    const isOther = observed !== undefined && observed !== before?.commit
    // One that cannot be read is the newest all the same: nodes do not go back to the one before.
    this.#state = fleet ? { ...state, fleet, observed: isOther ? observed : fleet.commit, unread: true } : state
    if (!fleet) return
    this.#accepted = undefined
    this.#secrets.forget()
    // Its Secrets may have changed since, and Git may be away.
    if (!fleet.secretRefs) return
    this.#restoredHead = headOf({ ...(await this.#options.store.load(fleet.commit)), accepted: true })
    this.#watch(this.#restoredHead, { fleet, seen: [NOT_LOOKED] })
  }

  async #after(event: HeadEvent): Promise<HeadState> {
    const { trouble, ...state } = this.#state
    if (event.kind === 'trouble') return { ...state, trouble: event.message }
    if (event.kind === 'mended') return state
    this.#held = undefined
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
    const { compile, store, library, log, guard, taker } = this.#options
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
    const isKnown = fleet === this.#state.fleet
    const objection = isKnown || guard.isPromoted(observed) ? undefined : guard.objection(fleet, this.#state.fleet)
    if (objection !== undefined) {
      log('warn', objection)
      this.#held = { event, revision: observed }
      return { ...state, observed, held: objection, heldFleet: fleet }
    }
    // A fleet may be a folder of something larger: pictures and programs beside it are nothing for the cluster's database.
    const accepted = { ...snapshot, files: fleet.files }
    await store.put(accepted)
    this.#accepted = accepted
    library.add(fleet)
    log('info', `accepted commit "${observed}"`)
    return { fleet, observed, ...(event === this.#restoredHead && { unread: true }) }
  }

  /** When Secrets that have changed may be taken again, or a commit that could not be kept is to be tried again. */
  get wakeAt(): Instant | undefined {
    return earliest([this.#secrets.wakeAt, this.#pending.wakeAt, this.#unkept?.until])
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

  /** Once it is promoted, a commit comes as if it had just been read; a newer one makes it of no interest. */
  #releaseHeld(): void {
    const held = this.#held
    if (held && !this.#pending.hasHead && this.#options.guard.isPromoted(held.revision)) this.#pending.offerFirst(held.event)
  }
}

/** Another process looked at them. */
const NOT_LOOKED = Symbol('not looked at')

/** Then nothing else would be done either; otherwise rollouts, and rollbacks, go on with what was accepted. */
function isAway(error: unknown): boolean {
  return error instanceof KubeError && error.isAway
}
