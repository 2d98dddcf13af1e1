import type { RepoSnapshot } from '../../protocol/repo-snapshot.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import { isWaiting, type Wait } from '../writes/write-failures.ts'
import { waitToKeep } from './pending-heads.ts'
import type { RevisionStore } from './revision-store.ts'

/** The commit that was accepted last, as the cluster keeps it. */
export class AcceptedCopy {
  readonly #store: Pick<RevisionStore, 'list' | 'put'>
  /** Undefined until it has come from the repository. */
  #accepted: RepoSnapshot | undefined
  /** It is gone, and the server refuses to keep it again. */
  #refused: Wait | undefined

  constructor(store: Pick<RevisionStore, 'list' | 'put'>) {
    this.#store = store
  }

  /**
   * @param isLost it was kept before, and is not now, or cannot be read: no pool waits until the server keeps it again
   * @throws {Error} when it cannot be kept
   */
  async write(accepted: RepoSnapshot, { isLost }: { readonly isLost: boolean }): Promise<void> {
    try {
      await this.#store.put(accepted, { isReadable: !isLost })
    } catch (error) {
      if (!isLost) throw error
    }
    this.#accepted = accepted
  }

  /**
   * Somebody may have deleted it: who leads next would not know what was accepted last.
   * @returns why it cannot be kept now
   */
  async keep(now: () => Instant): Promise<readonly unknown[]> {
    if (this.#refused && isWaiting(this.#refused, now())) return []
    this.#refused = undefined
    try {
      if (this.#accepted && this.#store.list()[0]?.commit !== this.#accepted.commit) await this.#store.put(this.#accepted)
      return []
    } catch (error) {
      this.#refused = waitToKeep(now())
      return [error]
    }
  }

  /** Another commit is in use, which has not come from the repository. */
  forget(): void {
    this.#accepted = undefined
  }

  /** When it is to be tried again. */
  get wakeAt(): Instant | undefined {
    return this.#refused?.until
  }
}
