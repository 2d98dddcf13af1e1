import { REJECTED_PREFIX, REVISION_KEYS } from '../../protocol/names.ts'
import type { HistoryEntry, NodePoolStatus, RevisionRef } from '../../protocol/node-pool.ts'
import { denotes, REJECTED_KEPT } from '../../rollout/model/remembered-revision.ts'
import type { StoredConfigMap } from '../cache/stored-config-map.ts'
import { annotate } from '../config-maps/annotate.ts'
import type { ConfigMapStore } from '../config-maps/config-map-store.ts'
import { forEach, throwFirst } from '../writes/for-each.ts'

/**
 * Which kept revisions failed on which pool, noted on the revisions themselves: a NodePool object that somebody deletes takes its
 * status with it, or restores an older one, and the commit that failed would be tried again.
 */
export class Rejections {
  readonly #store: ConfigMapStore

  constructor(store: ConfigMapStore) {
    this.#store = store
  }

  /** In the order in which revisions were accepted, newest first. */
  of(pool: string): readonly RevisionRef[] {
    return this.#heads()
      .toSorted((a, b) => sequenceOf(b) - sequenceOf(a))
      .flatMap((map) => {
        const fingerprint = map.annotations[keyOf(pool)]
        return fingerprint === undefined ? [] : [{ revision: map.revision, fingerprint }]
      })
  }

  /** It stands there as the status says: most often so. */
  isKept(pool: string, rejected: readonly RevisionRef[]): boolean {
    return this.#changes(pool, rejected).length === 0
  }

  /** Writes only what is not as the status says. @throws {Error} when that was refused */
  async keep(pool: string, rejected: readonly RevisionRef[]): Promise<void> {
    const failed = await forEach(this.#changes(pool, rejected), {}, ({ map, fingerprint }) =>
      annotate(this.#store, map, { [keyOf(pool)]: fingerprint ?? null }),
    )
    throwFirst([...failed.values()])
  }

  #changes(
    pool: string,
    rejected: readonly RevisionRef[],
  ): readonly { readonly map: StoredConfigMap; readonly fingerprint: string | undefined }[] {
    const byCommit = new Map(rejected.map(({ revision, fingerprint }) => [revision, fingerprint]))
    return this.#heads()
      .map((map) => ({ map, fingerprint: byCommit.get(map.revision) }))
      .filter(({ map, fingerprint }) => map.annotations[keyOf(pool)] !== fingerprint)
  }

  /** The first part of each revision stands for all of it. */
  #heads(): StoredConfigMap[] {
    return [...this.#store.configMaps.items.values()].filter(({ annotations }) => annotations[REVISION_KEYS.part] === '0')
  }
}

/**
 * What failed, newest first, by the status and by notes of what it knows nothing of. A commit that an operator had tried again is no longer
 * among those that failed, and the control is in the records; one that completed last is in the history.
 */
export function allRejections(
  status: Partial<Pick<NodePoolStatus, 'rejected' | 'history' | 'controls'>> = {},
  { noted, head }: { readonly noted: readonly RevisionRef[]; readonly head: RevisionRef },
): readonly RevisionRef[] {
  const { rejected = [], history = [] } = status
  const known = new Set(
    [...rejected, ...completedLast(history), ...retriedIn(status, [head, ...noted])].map(({ fingerprint }) => fingerprint),
  )
  const forgotten = noted.filter(({ fingerprint }) => !known.has(fingerprint))
  if (forgotten.length === 0) return rejected
  const failed = new Set(rejected.map(({ fingerprint }) => fingerprint))
  const since = noted.findIndex(({ fingerprint }) => failed.has(fingerprint))
  const newer = new Set(since === -1 ? noted : noted.slice(0, since))
  const [later, earlier] = [forgotten.filter((ref) => newer.has(ref)), forgotten.filter((ref) => !newer.has(ref))]
  return [...later, ...rejected, ...earlier].slice(0, REJECTED_KEPT)
}

/** Of one that ended otherwise, the failure may have come after the status, or have been removed from it by somebody. */
function completedLast(history: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const ended = history.filter(({ result }) => result !== 'Running' && result !== 'Superseded')
  const last = new Map(ended.toReversed().map((entry) => [entry.fingerprint, entry]))
  return [...last.values()].filter(({ result }) => result === 'Completed')
}

/** Their notes may stand a little longer, or for as long as the server refuses to remove them. */
function retriedIn(
  { controls = [] }: Partial<Pick<NodePoolStatus, 'controls'>>,
  refs: readonly RevisionRef[],
): readonly RevisionRef[] {
  const retries = controls.filter(({ action, outcome }) => action === 'Retry' && outcome === 'Done')
  return refs.filter((ref) => retries.some(({ value }) => value !== undefined && denotes(value, ref)))
}

function keyOf(pool: string): string {
  return `${REJECTED_PREFIX}/${pool}`
}

function sequenceOf({ annotations }: StoredConfigMap): number {
  return Number(annotations[REVISION_KEYS.sequence]) || 0
}
